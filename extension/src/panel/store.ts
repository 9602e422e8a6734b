// The panel's state as signals, and what a person can do with it. Everything that is true of a run comes from
// the daemon's events; kept here is only what this one panel looks at.
import { batch, computed, effect, signal } from '@preact/signals';
import { Peer, pair, RemoteError, type Line } from '../shared/rpc';
import { speak, t } from '../shared/i18n';
import type { Answer, Attachment, Changed, Event, Methods, Notified, ProviderInfo, SessionInfo } from '../shared/wire';
import { reduce } from './reduce';
import { empty, type View } from './view';
import { kind, name } from '../platform';
import { daemon, followTab, keep, newTab, pairing, remember, remembered, show, tab } from './host';

export const line = signal<Line>('connecting');
export const why = signal('');
export const code = signal('');              // of a pairing under way
export const session = signal<SessionInfo | null>(null);
export const view = signal<View>(empty);
export const providers = signal<ProviderInfo[]>([]);
export const provider = signal('');
export const model = signal('');
export const mode = signal('act');
export const verbose = signal(1);
export const welcome = signal(false);        // the first steps are shown until they are done or skipped
export const failure = signal('');           // the last thing that did not work, in words
export const dismissed = signal(0);          // warnings up to this seq were put away
export const drawer = signal(false);
export const awaited = signal(-1);           // newest turn when a message was sent from here: the one after it goes to the top
export const ready = signal(false);          // a session is there and its past has come
export const waiting = computed(() => view.value.turns.some((x) => x.items.some((i) => i.kind === 'ask' && !i.closed)));

let arrived: Event[] = [], drawing = false, anew = false;

// arrive gathers events and draws them once a frame, however many come.
function arrive(events: Event[]): void {
  for (const e of events) arrived.push(e);
  if (drawing) return;
  drawing = true;
  const draw = () => {
    drawing = false;
    const now = arrived;
    arrived = [];
    view.value = reduce(anew ? empty : view.value, now);
    anew = false;
  };
  if (document.hidden) setTimeout(draw, 50); // frames stand still in a hidden panel
  else requestAnimationFrame(draw);
}

let epoch = '';

const peer = new Peer({
  role: 'panel', name: name(), browser: kind, pairing,
  onLine: (l, reason) => {
    batch(() => { line.value = l; why.value = reason; });
    if (l === 'up') void begin();
  },
  onWelcome: async (w) => {
    anew ||= epoch !== '' && w.epoch !== epoch; // another daemon numbers the events in its own way
    epoch = w.epoch;
  },
  onNotify: (method, params) => {
    if (method === 'changed') return void attempt(() => changed((params as Changed).forgotten === true));
    const n = params as Notified;
    if (method === 'events' && n.session === session.value?.id && Array.isArray(n.events)) arrive(n.events);
  },
});

// ask is one request, typed by wire.ts.
export function ask<M extends keyof Methods>(method: M, params: Methods[M][0]): Promise<Methods[M][1]> {
  return peer.call(method, params) as Promise<Methods[M][1]>;
}

// attempt runs what a person asked for and shows why it did not work.
export async function attempt(f: () => Promise<unknown>): Promise<boolean> {
  try {
    await f();
    failure.value = '';
    return true;
  } catch (e) {
    failure.value = e instanceof RemoteError ? [e.message, e.fix].filter(Boolean).join(' — ') : t('line.failed', { why: String(e) });
    return false;
  }
}

let picked = false; // a person chose a model here; otherwise the panel goes by the daemon's default

export function pick(which: string, its: string): void {
  picked = true;
  batch(() => { provider.value = which; model.value = its; });
}

// know asks how things stand: at each new line, and when the daemon says that something changed.
async function know(): Promise<void> {
  const s = await ask('state', {});
  batch(() => {
    providers.value = s.providers ?? []; // an empty list may come as null
    if (!picked || !providers.value.some((p) => p.id === provider.value)) {
      picked = false;
      provider.value = s.provider;
      model.value = '';
    }
    if (!ready.value) {
      if (s.mode) mode.value = s.mode;
      if (typeof s.verbose === 'number') verbose.value = s.verbose;
    }
    if (s.welcome) welcome.value = true;
  });
  speak(navigator.language, s.locale || '');
  if (s.locale) speak(s.locale);
  document.documentElement.dataset.theme = s.theme || 'system';
}

// changed runs when settings are others now, or all conversations were deleted: the panel begins a new one.
async function changed(forgotten: boolean): Promise<void> {
  await know();
  if (!forgotten || !session.value) return;
  session.value = null;
  await open({});
}

// begin runs on each new line: what the daemon knows, then the session from where we were.
async function begin(): Promise<void> {
  await attempt(async () => {
    await know();
    if (session.value) await ask('session.watch', { id: session.value.id, since: anew ? 0 : view.value.seq });
    else await open(tab.value ? { tab: tab.value.id } : { id: remembered() });
    ready.value = true;
  });
}

let opening = 0; // the newest wish wins, as when tabs are changed quickly

async function open(which: { id?: string; tab?: string }): Promise<void> {
  const mine = ++opening;
  const o = await ask('session.open', which);
  const before = session.value?.id;
  if (mine !== opening || o.session.id === before) return;
  remember(o.session.id);
  if (before) await ask('session.leave', { id: before }).catch(() => undefined);
  arrived = [];
  anew = false;
  batch(() => { session.value = o.session; view.value = empty; dismissed.value = 0; });
  await ask('session.watch', { id: o.session.id, since: 0 });
}

// A conversation that is chosen becomes that of the tab beside it.
export const openSession = (id: string) => attempt(() => open({ id, tab: tab.value?.id }));
export const newSession = () => attempt(async () => {
  await open({});
  if (tab.value && session.value) await ask('session.open', { id: session.value.id, tab: tab.value.id });
});
export const retry = () => peer.again();

export async function send(text: string, attachments: Attachment[], where: { id?: string; url?: string } | null = tab.value): Promise<boolean> {
  const s = session.value;
  if (!s) return false;
  const turns = view.value.turns;
  if (!view.value.busy) awaited.value = turns[turns.length - 1]?.key ?? 0; // one that waits takes nobody's place
  return attempt(() => ask('run.start', {
    session: s.id, text, mode: mode.value, provider: provider.value || undefined, model: model.value || undefined,
    tab: where?.id, url: where?.url, attachments: attachments.length ? attachments : undefined,
  }));
}

// sendAt starts a task on a page of its own, which comes to the front with this conversation beside it.
export async function sendAt(url: string, text: string): Promise<boolean> {
  const s = session.value;
  let id: string | undefined;
  const opened = s && await attempt(async () => {
    id = await newTab(url);
    if (id) await ask('session.open', { id: s.id, tab: id });
  });
  if (!opened || !await send(text, [], { id, url })) return false;
  if (id) show(id);
  return true;
}

const here = () => session.value?.id ?? '';
export const stop = () => attempt(() => ask('run.stop', { session: here() }));
export const unqueue = (id: string) => attempt(() => ask('run.unqueue', { session: here(), id }));
export const answer = (id: string, a: Answer) => attempt(() => ask('ask.answer', { id, answer: a }));

export async function payload(run: string, call: string): Promise<{ request: unknown; reply: unknown } | null> {
  let got = null as { request: unknown; reply: unknown } | null;
  await attempt(async () => { got = await ask('payload', { run, call }); });
  return got;
}

export async function remove(id: string): Promise<void> {
  await attempt(() => ask('session.delete', { id }));
  if (id === session.value?.id) {
    session.value = null;
    await attempt(() => open({}));
  }
}

// pairUp asks the daemon for a pairing; a person confirms the code on its side.
export async function pairUp(): Promise<void> {
  await attempt(async () => {
    try {
      await keep(await pair(daemon, { name: name(), browser: kind }, (c) => { code.value = c; }));
      peer.again();
    } finally { code.value = ''; }
  });
}

// start dials once the tab is known, and from then on follows the active one.
export async function start(): Promise<void> {
  speak(navigator.language);
  await followTab();
  peer.start();
  let was = tab.peek()?.id;
  effect(() => {
    const now = tab.value?.id;
    if (now === was) return;
    was = now;
    if (ready.peek() && line.peek() === 'up') void attempt(() => open({ tab: now }));
  });
}
