// Tells the daemon what happens in the tabs that are lent without a debugger: documents that come and go, requests, and
// tabs that pages open. Everything is told in the order in which the browser says it.
import type { Api, FrameAt, RequestAt } from '../platform';
import type { Tell } from './debugging';
import type { Hooks } from './hooks';
import type { Memory } from './kept';

const emptyPage = 2000; // ms

export class Watch {
  private openers = new Map<number, number>(); // of tabs that pages of lent ones have opened

  private seen = new Set<number>(); // tabs that have shown a page
  private waits = new Map<number, () => void>();

  constructor(private memory: Memory, private hooks: Hooks, private tell: Tell) {}

  lends(tab: number | undefined): tab is number { return tab !== undefined && this.memory.now.tabs.includes(tab); }

  idle(): boolean { return this.memory.now.tabs.length === 0; }

  // openerOf is the lent tab whose page has opened this one.
  openerOf(tab: number): number | undefined { return this.openers.get(tab); }

  // shown resolves once a new tab's own empty page is there, which may come after the page that is asked for next.
  async shown(tab: number): Promise<void> {
    if (this.seen.has(tab)) return;
    await new Promise<void>((done) => { this.waits.set(tab, done); setTimeout(done, emptyPage); });
    this.waits.delete(tab);
  }

  at(what: string, n: FrameAt): void {
    if (what === 'loaded' && n.frameId === 0) {
      this.seen.add(n.tabId);
      this.waits.get(n.tabId)?.();
    }
    if (this.lends(n.tabId)) this.tell('frame.' + what, { tab: n.tabId, frame: n.frameId, url: n.url });
  }

  failed(n: FrameAt & { error: string }): void {
    if (this.lends(n.tabId)) this.tell('frame.failed', { tab: n.tabId, frame: n.frameId, url: n.url, text: n.error });
  }

  request(what: string, r: RequestAt): void {
    if (!this.lends(r.tabId)) return;
    this.tell('net.' + what, { tab: r.tabId, frame: r.frameId, id: r.requestId, url: r.url, method: r.method, type: r.type, status: r.statusCode ?? 0, text: r.error ?? '' });
  }

  // headers looks for a download: an answer that the browser does not show.
  headers(r: RequestAt): void {
    const header = (name: string): string => r.responseHeaders?.find((h) => h.name.toLowerCase() === name)?.value ?? '';
    if (this.lends(r.tabId) && /^\s*attachment/i.test(header('content-disposition')))
      this.tell('download', { tab: r.tabId, frame: r.frameId, url: r.url, text: /filename="?([^";]*)/i.exec(header('content-disposition'))?.[1] ?? '' });
  }

  // opened hears of a tab that a page has opened: it is lent too. Its first request may say so before the tab itself
  // does; the daemon is told of the tab before it is asked about the request.
  async opened(tab: number, opener: number, url: string): Promise<void> {
    if (!this.lends(opener) || this.lends(tab)) return;
    this.openers.set(tab, opener);
    const lent = this.memory.lend(tab);
    this.tell('tab.opened', { tab, opener, url });
    await lent;
  }

  removed(tab: number): void {
    this.openers.delete(tab);
    this.seen.delete(tab);
    if (!this.lends(tab)) return;
    void this.memory.unlend(tab).then(() => this.hooks.update());
    this.tell('tab.removed', { tab });
  }
}

// listenToTabs must be called while the background's file runs, or the browser would not wake it for these events.
export function listenToTabs(api: Api, then: (f: (w: Watch) => void) => void): void {
  const nav = api.webNavigation, all = { urls: ['<all_urls>'] };
  nav.onCommitted.addListener((n) => then((w) => w.at('committed', n)));
  nav.onDOMContentLoaded.addListener((n) => then((w) => w.at('loaded', n)));
  nav.onHistoryStateUpdated.addListener((n) => then((w) => w.at('moved', n)));
  nav.onReferenceFragmentUpdated.addListener((n) => then((w) => w.at('moved', n)));
  nav.onErrorOccurred.addListener((n) => then((w) => w.failed(n)));
  nav.onCreatedNavigationTarget.addListener((n) => then((w) => void w.opened(n.tabId, n.sourceTabId, n.url)));
  api.tabs.onRemoved.addListener((tab) => then((w) => w.removed(tab)));
  api.webRequest?.onHeadersReceived.addListener((r) => then((w) => w.headers(r)), { ...all, types: ['main_frame', 'sub_frame'] }, ['responseHeaders']);
  api.webRequest?.onBeforeRedirect.addListener((r) => then((w) => w.request('redirected', r)), all);
  api.webRequest?.onCompleted.addListener((r) => then((w) => w.request('ended', r)), all);
  api.webRequest?.onErrorOccurred.addListener((r) => then((w) => w.request('ended', r)), all);
}
