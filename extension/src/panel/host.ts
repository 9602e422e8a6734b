// Where the panel lives: in the extension, beside a tab, or as an ordinary page that the daemon serves. The
// only file of the panel that asks the browser for anything but its own document; platform.ts knows the browsers.
import { signal } from '@preact/signals';
import { api } from '../platform';
import type { Pairing } from '../shared/rpc';

// Tab is the page beside the panel; nothing of it is shown as markup.
export interface Tab { id: string; url: string; title: string }

export const tab = signal<Tab | null>(null);
export const daemon = 'ws://127.0.0.1:7717/ws'; // until a pairing says otherwise

// followTab keeps `tab` at the active one of this window, and resolves when it is first known. Without an
// extension there is none.
export async function followTab(): Promise<void> {
  const tabs = api?.tabs;
  if (!tabs) return;
  const look = async () => {
    const [t] = await tabs.query({ active: true, currentWindow: true });
    tab.value = t?.id === undefined ? null : { id: String(t.id), url: t.url ?? '', title: t.title ?? '' };
  };
  tabs.onActivated.addListener(() => void look());
  tabs.onUpdated.addListener((_, change) => { if (change.url || change.status === 'complete') void look(); });
  await look();
}

// takePrompts hands over what a person chose from the context menu, now and later, once each.
export function takePrompts(take: (text: string) => void): void {
  const a = api;
  if (!a) return;
  const look = async () => {
    const p = (await a.storage.session.get('prompt')).prompt as { text?: unknown } | undefined;
    if (typeof p?.text !== 'string' || document.hidden) return;
    await a.storage.session.remove('prompt');
    take(p.text);
  };
  a.storage.onChanged.addListener((changes, area) => { if (area === 'session' && changes.prompt?.newValue) void look(); });
  void look();
}

// openSettings shows the settings page: in a tab of its own, or in place of an ordinary page, which a run does not notice.
export function openSettings(section = ''): void {
  if (api && !section) void api.runtime.openOptionsPage();
  else if (api) void api.tabs.create({ url: api.runtime.getURL('settings.html') + section });
  else location.assign('settings.html' + section);
}

// newTab makes a tab behind the one that is shown and says its number; show brings it to the front. An ordinary page
// has no such tabs.
export async function newTab(url: string): Promise<string | undefined> {
  const t = await api?.tabs.create({ url, active: false });
  return t?.id === undefined ? undefined : String(t.id);
}
export const show = (id: string): void => void api?.tabs.update(Number(id), { active: true });

// On an ordinary page there is no tab that would tell which conversation a reload should show.
export const remember = (id: string): void => sessionStorage.setItem('session', id);
export const remembered = (): string | undefined => sessionStorage.getItem('session') ?? undefined;

// pairing is what was stored; on an ordinary page it comes in the address's fragment, which no server sees,
// is taken out of the address at once and kept for this browser tab only.
export async function pairing(): Promise<Pairing | null> {
  if (api) return valid((await api.storage.local.get('pairing')).pairing);
  const given = new URLSearchParams(location.hash.slice(1));
  if (given.has('token')) {
    const url = location.origin.replace(/^http/, 'ws') + '/ws';
    sessionStorage.setItem('pairing', JSON.stringify({ url, client: given.get('client'), token: given.get('token') }));
    history.replaceState(null, '', location.pathname + location.search);
  }
  try { return valid(JSON.parse(sessionStorage.getItem('pairing') ?? 'null')); } catch { return null; }
}

// keep stores a pairing for the next time, and tells the background of it.
export async function keep(p: Pairing): Promise<void> {
  if (!api) return sessionStorage.setItem('pairing', JSON.stringify(p));
  await api.storage.local.set({ pairing: p });
  await api.runtime.sendMessage({ kind: 'paired' }).catch(() => undefined); // asleep, it finds it at its next alarm
}

function valid(v: unknown): Pairing | null {
  const p = v as Partial<Pairing> | null | undefined;
  return p && typeof p.url === 'string' && typeof p.client === 'string' && typeof p.token === 'string' ? { url: p.url, client: p.client, token: p.token } : null;
}
