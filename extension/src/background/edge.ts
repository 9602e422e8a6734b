// Shows on lent tabs that wb works there, and hears their Stop.
import type { Api } from '../platform';
import type { Words } from '../edge/edge';
import type { Tell } from './debugging';
import type { Memory } from './kept';
import de from '../shared/locales/de';
import en from '../shared/locales/en';

// What must not meet the button: wb's own pointer, and its pictures.
const hands = /^(Page\.captureScreenshot|Input\.dispatch(Mouse|Drag)Event)$/;

export class Edges {
  private shown = new Set<number>();

  constructor(private api: Api, private memory: Memory, private tell: Tell) {
    memory.onTabs = (tabs) => this.follow(tabs);
    for (const tab of memory.now.tabs) this.show(tab);
  }

  private follow(tabs: number[]): void {
    for (const tab of this.shown) if (!tabs.includes(tab)) { this.shown.delete(tab); void this.say(tab, 'over'); }
  }

  // show draws it on a tab that is lent, once its page is there: one that waits to be judged is left alone.
  show(tab: number): void {
    if (!this.memory.now.tabs.includes(tab)) return;
    this.shown.add(tab);
    void this.api.scripting.executeScript({ target: { tabId: tab }, files: ['edge.js'], injectImmediately: true }).catch(() => undefined); // a page of the browser's own
  }

  // apart runs a command with the edge out of its way.
  async apart<T>(tab: number, method: string, run: () => Promise<T>): Promise<T> {
    if (!hands.test(method)) return run();
    await this.say(tab, 'aside');
    try { return await run(); } finally { void this.say(tab, 'back'); }
  }

  private async say(tab: number, edge: string): Promise<void> {
    await this.api.tabs.sendMessage(tab, { edge }, { frameId: 0 }).catch(() => undefined); // none is shown there
  }

  // asked answers the content script of a tab: its words while wb works there.
  asked(what: unknown, tab: number): Words | null {
    if (!this.memory.now.tabs.includes(tab)) return null;
    if (what === 'stop') this.tell('stop', { tab });
    const w = navigator.language.toLowerCase().startsWith('de') ? de : en;
    return { stop: w['edge.stop'], stopping: w['edge.stopping'] };
  }
}

// listenToEdges must be called while the background's file runs.
export function listenToEdges(api: Api, ready: Promise<Edges>): void {
  api.webNavigation.onDOMContentLoaded.addListener((n) => { if (n.frameId === 0) void ready.then((e) => e.show(n.tabId)); });
  api.runtime.onMessage.addListener((m, from, reply) => {
    const what = (m as { edge?: unknown } | null)?.edge, tab = from.tab?.id;
    if (what === undefined || from.id !== api.runtime.id || tab === undefined) return;
    void ready.then((e) => reply(e.asked(what, tab)));
    return true; // the answer comes later
  });
}
