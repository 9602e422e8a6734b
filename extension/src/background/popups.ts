// Holds what a lent tab opens. chrome.debugger cannot stop a new tab before its first request, so a rule of
// declarativeNetRequest does: the request is blocked, the tab is lent, and once the daemon judges its requests the
// page is asked for again. A frame without an origin (sandboxed) has no name that a rule could match.
import type { Api } from '../platform';
import type { Attached, Tell } from './debugging';
import type { Memory } from './kept';

const rule = 1;
const settled = 1000; // ms after which a tab that no lent one is known to have opened is the person's

export class Popups {
  private held = new Map<number, string>(); // tabs that wait, and what for
  private free = new Set<number>();         // tabs that the rule leaves alone
  private soon = new Map<number, string>(); // hosts that lent tabs are sent to
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private api: Api, private memory: Memory, private attach: (tab: number) => Promise<Attached>,
    private navigate: (tab: number, url: string) => Promise<unknown>, private tell: Tell) {}

  // lent is called when a tab is lent or given back, and when one moves to another page.
  lent(): Promise<unknown> {
    return this.turn = this.turn.then(() => this.update()).catch(() => undefined); // tabs close meanwhile
  }

  private async update(): Promise<void> {
    const tabs = this.memory.now.tabs;
    if (tabs.length === 0) {
      this.free.clear();
      this.soon.clear();
      return this.api.declarativeNetRequest.updateSessionRules({ removeRuleIds: [rule] });
    }
    if (this.free.size === 0) for (const t of await this.api.tabs.query({})) if (t.id !== undefined) this.free.add(t.id);
    for (const t of tabs) if (!this.held.has(t)) this.free.add(t);
    const hosts = new Set<string>();
    for (const tabId of tabs) {
      const next = this.soon.get(tabId);
      if (next) hosts.add(next);
      for (const f of await this.api.webNavigation.getAllFrames({ tabId }) ?? []) {
        const host = hostOf(f.url);
        if (host) hosts.add(host);
      }
    }
    const condition = { resourceTypes: ['main_frame'], initiatorDomains: [...hosts], excludedTabIds: [...this.free] };
    await this.api.declarativeNetRequest.updateSessionRules({ removeRuleIds: [rule],
      addRules: hosts.size > 0 ? [{ id: rule, priority: 1, action: { type: 'block' }, condition }] : [] });
  }

  // goesTo makes the rule know where a lent tab is sent before its page can open anything.
  async goesTo(tab: number, url: string): Promise<void> {
    const host = hostOf(url);
    if (!host || this.soon.get(tab) === host) return;
    this.soon.set(tab, host);
    await this.lent();
  }

  // created hears of a new tab. One that a page opened without a hold on it (noopener) names no opener: whose it is
  // shows a moment later. What a person asks for in a tab of theirs has no initiator, so the rule lets it pass anyhow.
  created(tab: number, opener: number | undefined): void {
    if (opener !== undefined && this.memory.now.tabs.includes(opener)) return; // perhaps a page's
    setTimeout(() => {
      if (this.held.has(tab) || this.memory.now.tabs.includes(tab)) return;
      this.free.add(tab);
      if (this.memory.now.tabs.length > 0) void this.lent();
    }, settled);
  }

  async opened(tab: number, opener: number, url: string): Promise<void> {
    if (!this.memory.now.tabs.includes(opener) || this.memory.now.tabs.includes(tab)) return;
    this.held.set(tab, url);
    const a = await this.attach(tab).catch(() => undefined);
    if (a) this.tell('tab.opened', { tab, ...a, opener });
    else this.held.delete(tab);
  }

  // failed hears of a request that the rule has blocked.
  failed(tab: number, url: string): void {
    if (this.held.has(tab)) this.held.set(tab, url);
    else if (this.memory.now.tabs.includes(tab)) void this.navigate(tab, url).catch(() => undefined); // released a moment ago
  }

  // go lets a held tab ask again: now there is somebody who judges.
  async go(tab: number): Promise<void> {
    const url = this.held.get(tab);
    this.held.delete(tab);
    await this.lent();
    if (url !== undefined && hostOf(url)) await this.navigate(tab, url);
  }
}

function hostOf(url: string): string {
  try { const u = new URL(url); return u.protocol === 'http:' || u.protocol === 'https:' ? u.hostname : ''; } catch { return ''; }
}
