// Lends tabs over chrome.debugger: attaches only while a run needs a tab, passes an allow-list of commands on,
// and tells what happens there. The daemon's ports/cdp speaks to the tab as to one of its own browser.
import type { Api, Debuggee } from '../platform';
import type { Memory } from './kept';
import { Popups } from './popups';
import { mayDrive, Problem } from './problem';

// The commands that ports/cdp needs. Nothing reflective: what is not named here is refused.
const allowed = new Set(`DOM.describeNode DOM.getContentQuads DOM.getFrameOwner DOM.resolveNode DOMDebugger.getEventListeners
Emulation.setFocusEmulationEnabled Fetch.continueRequest Fetch.enable Fetch.failRequest Input.dispatchDragEvent Input.dispatchKeyEvent
Input.dispatchMouseEvent Input.insertText Input.setInterceptDrags Inspector.enable Network.enable Page.addScriptToEvaluateOnNewDocument
Page.captureScreenshot Page.enable Page.getFrameTree Page.getNavigationHistory Page.handleJavaScriptDialog Page.navigate
Page.navigateToHistoryEntry Page.reload Page.setInterceptFileChooserDialog Page.setLifecycleEventsEnabled Page.startScreencast
Page.stopScreencast Runtime.callFunctionOn Runtime.enable Runtime.evaluate Runtime.getProperties Runtime.releaseObjectGroup
Runtime.runIfWaitingForDebugger Runtime.terminateExecution Target.setAutoAttach`.split(/\s+/));

const auto = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: [{ type: 'iframe' }] };

export interface Attached { target: string; url: string; title: string; opener?: number }
export type Tell = (method: string, params: unknown) => void;

export class Debugging {
  readonly popups: Popups;
  private d: NonNullable<Api['debugger']>;

  constructor(private api: Api, private memory: Memory, private tell: Tell) {
    if (!api.debugger) throw new Error('no debugger here');
    const d = this.d = api.debugger;
    this.popups = new Popups(api, memory, (tab) => this.attach(tab, false), (tab, url) => d.sendCommand({ tabId: tab }, 'Page.navigate', { url }), tell);
  }

  lends(tab: number | undefined): tab is number { return tab !== undefined && this.memory.now.tabs.includes(tab); }

  async attach(tab: number, again: boolean): Promise<Attached> {
    let t = await this.api.tabs.get(tab).catch(() => undefined);
    if (!t) throw new Problem('tab_gone', 'the tab is closed', 'use another tab');
    if (t.discarded) { await this.api.tabs.reload(tab); t = await this.api.tabs.get(tab); }
    const no = mayDrive(t.url || 'about:blank');
    if (no) throw no;
    await this.memory.lend(tab);
    try {
      await this.d.attach({ tabId: tab }, '1.3');
    } catch (e) {
      if (!/already attached/.test(String(e)) || !(again || await this.ours(tab))) {
        await this.memory.unlend(tab);
        throw new Problem('busy', 'another debugger holds the tab: ' + message(e), 'close the developer tools or the other extension on that tab');
      }
    }
    if (again) await this.retell(tab);
    await this.popups.lent();
    const info = await this.d.sendCommand({ tabId: tab }, 'Target.getTargetInfo') as { targetInfo: { targetId: string; url: string; title: string } };
    return { target: info.targetInfo.targetId, url: info.targetInfo.url, title: info.targetInfo.title, opener: t.openerTabId };
  }

  // retell has the browser tell of child sessions and script contexts anew: what was told while the background was
  // stopped may be lost.
  private async retell(tab: number): Promise<void> {
    for (const [method, params] of [
      ['Target.setAutoAttach', { autoAttach: false, waitForDebuggerOnStart: false, flatten: true }], ['Target.setAutoAttach', auto],
      ['Runtime.disable', {}], ['Runtime.enable', {}],
    ] as const) await this.d.sendCommand({ tabId: tab }, method, params);
  }

  // ours: only an attachment of this extension answers commands.
  private async ours(tab: number): Promise<boolean> {
    return this.d.sendCommand({ tabId: tab }, 'Target.getTargetInfo').then(() => true, () => false);
  }

  async detach(tab: number): Promise<void> {
    await this.memory.unlend(tab);
    await this.d.detach({ tabId: tab }).catch(() => undefined); // it is gone already
    await this.popups.lent();
  }

  async send(tab: number, session: string | undefined, method: string, params: object | undefined): Promise<unknown> {
    if (!this.lends(tab)) throw new Problem('tab_gone', 'the tab is not lent');
    if (!allowed.has(method)) throw new Problem('refused', method + ' is not lent');
    if (method === 'Page.navigate') {
      const url = String((params as { url?: unknown } | undefined)?.url), no = mayDrive(url);
      if (no) throw no;
      await this.popups.goesTo(tab, url);
    }
    const to: Debuggee = session === undefined ? { tabId: tab } : { tabId: tab, sessionId: session };
    return this.d.sendCommand(to, method, params).catch((e: unknown) => { throw new Error(message(e)); });
  }

  event(from: Debuggee, method: string, params: object | undefined): void {
    if (this.lends(from.tabId)) this.tell('debugger.event', { tab: from.tabId, session: from.sessionId, method, params: params ?? {} });
  }

  gone(from: Debuggee, reason: string): void {
    if (from.sessionId !== undefined || !this.lends(from.tabId)) return;
    void this.memory.unlend(from.tabId).then(() => this.popups.lent());
    this.tell('debugger.detached', { tab: from.tabId, reason });
  }
}

// listen must be called while the background's file runs, or the browser would not wake it for these events.
export function listen(api: Api, then: (f: (d: Debugging) => void) => void): void {
  api.debugger?.onEvent.addListener((from, method, params) => then((d) => d.event(from, method, params)));
  api.debugger?.onDetach.addListener((from, reason) => then((d) => d.gone(from, reason)));
  if (!api.debugger) return;
  // A tab that the person opens beside a lent one names it as its opener too: this event only pages cause.
  api.webNavigation.onCreatedNavigationTarget.addListener((n) => then((d) => void d.popups.opened(n.tabId, n.sourceTabId, n.url)));
  api.webNavigation.onErrorOccurred.addListener((n) => then((d) => { if (n.frameId === 0 && /BLOCKED_BY_CLIENT/.test(n.error)) d.popups.failed(n.tabId, n.url); }));
  api.webNavigation.onCommitted.addListener((n) => then((d) => { if (d.lends(n.tabId)) void d.popups.lent(); }));
  api.tabs.onCreated.addListener((t) => then((d) => { if (t.id !== undefined) d.popups.created(t.id, t.openerTabId); }));
}

// message takes the protocol's own words out of what chrome.debugger throws: JSON in an Error's text.
function message(e: unknown): string {
  const text = e instanceof Error ? e.message : String(e);
  try { return (JSON.parse(text) as { message?: string }).message ?? text; } catch { return text; }
}
