// The page's state as signals: what the daemon said last, and asked again whenever it says that something changed.
import { batch, signal } from '@preact/signals';
import { Peer, RemoteError, type Line } from '../shared/rpc';
import { speak } from '../shared/i18n';
import type { ClientInfo, Grant, Methods, Offer, ProviderEntry } from '../shared/wire';
import { kind, name } from '../platform';
import { pairing } from '../panel/host';
import { t } from './words';

export const line = signal<Line>('connecting');
export const why = signal('');
export const loaded = signal(false);
export const providers = signal<ProviderEntry[]>([]);
export const catalog = signal<Offer[]>([]);
export const byDefault = signal('');
export const defaultLocked = signal('');
export const values = signal<Record<string, unknown>>({});
export const locked = signal<Record<string, string>>({});
export const grants = signal<Grant[]>([]);
export const clients = signal<ClientInfo[]>([]);
export const self = signal('');    // this page's own pairing
export const failure = signal(''); // the last thing that did not work, in words
export const done = signal('');    // the last thing that did

const peer = new Peer({
  role: 'panel', name: name(), browser: kind,
  pairing: async () => {
    const p = await pairing();
    self.value = p?.client ?? '';
    return p;
  },
  onLine: (l, reason) => {
    batch(() => { line.value = l; why.value = reason; });
    if (l === 'up') refresh();
  },
  onNotify: (method) => { if (method === 'changed') refresh(); },
});

export const start = () => { speak(navigator.language); peer.start(); };
export const retry = () => peer.again();

// ask is one request, typed by wire.ts.
export function ask<M extends keyof Methods>(method: M, params: Methods[M][0]): Promise<Methods[M][1]> {
  return peer.call(method, params) as Promise<Methods[M][1]>;
}

// words are an error as a person reads it: what is wrong and what to do.
export function words(e: unknown): string {
  return e instanceof RemoteError ? [e.message, e.fix].filter(Boolean).join(' — ') : t('do.failed', { why: String(e) });
}

// attempt runs what a person asked for and shows why it did not work; `said` is shown if it did.
export async function attempt(f: () => Promise<unknown>, said = ''): Promise<boolean> {
  try {
    await f();
    batch(() => { failure.value = ''; done.value = said; });
    return true;
  } catch (e) {
    batch(() => { failure.value = words(e); done.value = ''; });
    return false;
  }
}

// refresh asks anew without a word about what the person did last.
const refresh = () => void load().catch((e: unknown) => { failure.value = words(e); });

let turn = 0; // the newest load wins

async function load(): Promise<void> {
  const mine = ++turn;
  const [p, s, g, c] = await Promise.all([ask('providers.list', {}), ask('settings.get', {}), ask('grants.list', {}), ask('clients.list', {})]);
  if (mine !== turn) return;
  batch(() => {
    providers.value = p.providers;
    catalog.value = p.catalog;
    byDefault.value = p.provider;
    defaultLocked.value = p.locked ?? '';
    values.value = s.values;
    locked.value = s.locked;
    grants.value = g.grants;
    clients.value = c.clients;
    loaded.value = true;
    look(s.values);
  });
}

function look(v: Record<string, unknown>): void {
  speak(String(v['panel.locale'] ?? ''), navigator.language);
  document.documentElement.dataset.theme = String(v['panel.theme'] ?? 'system');
  document.title = 'wb: ' + t('page.title');
}

export const set = (key: string, value: unknown) => attempt(() => ask('settings.set', { key, value }), t('do.saved'));
export const reload = load;
