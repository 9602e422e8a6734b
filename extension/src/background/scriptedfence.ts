// Asks the daemon about every document that a lent tab, or a tab that its page has opened, is about to load, each hop of
// a redirect too. What is not answered in time is not loaded.
import type { Api, RequestAt } from '../platform';
import type { Tell } from './debugging';
import type { Watch } from './scriptedwatch';

const patience = 5000; // ms
const documents = ['main_frame', 'sub_frame', 'object'];

export class Fence {
  private asked = new Map<number, (allow: boolean) => void>();
  private last = 0;

  constructor(private api: Api, private watch: Watch, private tell: Tell) {}

  // answer is the daemon's.
  answer(id: number, allow: boolean): void { this.asked.get(id)?.(allow); }

  async judge(r: RequestAt): Promise<{ cancel: boolean }> {
    if (!this.watch.lends(r.tabId)) {
      const opener = r.type === 'main_frame' && r.originUrl !== undefined ? await this.openerOf(r.tabId) : undefined;
      if (opener === undefined) return { cancel: false };
      await this.watch.opened(r.tabId, opener, r.url);
    }
    const id = ++this.last;
    const allow = await new Promise<boolean>((done) => {
      const late = setTimeout(() => done(false), patience);
      this.asked.set(id, (yes) => { clearTimeout(late); done(yes); });
      this.tell('judge', { id, request: r.requestId, tab: r.tabId, frame: r.frameId, url: r.url, from: r.documentUrl ?? r.originUrl ?? '', method: r.method, type: r.type });
    });
    this.asked.delete(id);
    return { cancel: !allow };
  }

  // openerOf is the lent tab that a new tab was opened from.
  private async openerOf(tab: number): Promise<number | undefined> {
    const known = this.watch.openerOf(tab);
    if (known !== undefined) return known;
    const opener = (await this.api.tabs.get(tab).catch(() => undefined))?.openerTabId;
    return this.watch.lends(opener) ? opener : undefined;
  }
}

// listenToRequests must be called while the background's file runs; ready comes once the memory was read. idle: no tab is
// lent.
export function listenToRequests(api: Api, ready: Promise<Fence>, idle: () => boolean, begun: (r: RequestAt) => void): void {
  const all = { urls: ['<all_urls>'] };
  api.webRequest?.onBeforeRequest.addListener((r) => {
    if (idle()) return undefined;
    begun(r);
    return ready.then((f) => f.judge(r));
  }, { ...all, types: documents }, ['blocking']);
  const rest = ['stylesheet', 'script', 'font', 'xmlhttprequest', 'beacon', 'other', 'websocket', 'image'];
  api.webRequest?.onBeforeRequest.addListener((r) => { if (!idle()) begun(r); }, { ...all, types: rest });
}
