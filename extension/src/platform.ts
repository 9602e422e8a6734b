// Which browser this is, and the few extension calls that are used, as both have them. No other file asks.

interface Listener<F> { addListener(f: F): void; removeListener?(f: F): void }
export interface TabInfo { id?: number; windowId: number; url?: string; title?: string; active: boolean; discarded?: boolean; openerTabId?: number; groupId?: number; status?: string }
export interface Debuggee { tabId?: number; sessionId?: string }

export interface Api {
  runtime: {
    id: string;
    getURL(path: string): string; getManifest(): { version: string };
    getPlatformInfo(): Promise<{ os: string }>;
    onInstalled: Listener<(d: { reason: string }) => void>; onStartup: Listener<() => void>;
    onMessage: Listener<(m: unknown, from: { id?: string; tab?: TabInfo; url?: string }, reply: (v: unknown) => void) => boolean | void>;
    sendMessage(m: unknown): Promise<unknown>;
    openOptionsPage(): Promise<void>;
    sendNativeMessage(app: string, m: object): Promise<unknown>;
  };
  storage: {
    local: Area; session: Area;
    onChanged: Listener<(changes: Record<string, { newValue?: unknown }>, area: string) => void>;
  };
  tabs: {
    get(id: number): Promise<TabInfo>; query(q: object): Promise<TabInfo[]>; create(o: object): Promise<TabInfo>;
    update(id: number, o: object): Promise<TabInfo | undefined>; remove(id: number): Promise<void>; reload(id: number): Promise<void>;
    onRemoved: Listener<(id: number) => void>; onCreated: Listener<(t: TabInfo) => void>;
    onUpdated: Listener<(id: number, change: { status?: string; url?: string }, t: TabInfo) => void>;
    onActivated: Listener<(i: { tabId: number }) => void>;
    goBack?(id: number): Promise<void>; goForward?(id: number): Promise<void>;
    captureTab?(id: number, o: object): Promise<string>; // Firefox only
    sendMessage(id: number, m: unknown, o: { frameId: number }): Promise<unknown>;
  };
  webNavigation: {
    getAllFrames(o: { tabId: number }): Promise<{ frameId: number; parentFrameId: number; url: string }[] | null>;
    onCreatedNavigationTarget: Listener<(n: { tabId: number; sourceTabId: number; url: string }) => void>;
    onCommitted: Listener<(n: { tabId: number; frameId: number; url: string }) => void>;
    onErrorOccurred: Listener<(n: { tabId: number; frameId: number; url: string; error: string }) => void>;
    onDOMContentLoaded: Listener<(n: FrameAt) => void>;
    onHistoryStateUpdated: Listener<(n: FrameAt) => void>; onReferenceFragmentUpdated: Listener<(n: FrameAt) => void>;
  };
  webRequest?: {
    onBeforeRequest: RequestEvent; onHeadersReceived: RequestEvent; onBeforeRedirect: RequestEvent; onCompleted: RequestEvent; onErrorOccurred: RequestEvent;
  };
  declarativeNetRequest: { updateSessionRules(o: object): Promise<void> };
  scripting: {
    registerContentScripts(list: object[]): Promise<void>; unregisterContentScripts(o: { ids: string[] }): Promise<void>;
    executeScript(o: object): Promise<{ result?: unknown; frameId: number; documentId?: string; error?: unknown }[]>;
  };
  permissions: { contains(o: { origins: string[] }): Promise<boolean> };
  alarms: { create(name: string, o: { periodInMinutes: number }): void; onAlarm: Listener<(a: { name: string }) => void> };
  action: { onClicked: Listener<(t: TabInfo) => void>; setBadgeText(o: { text: string; tabId?: number }): Promise<void> };
  contextMenus?: { create(o: object, done?: () => void): void; removeAll(): Promise<void>; onClicked: Listener<(i: MenuClick, t?: TabInfo) => void> };
  // Chromium only.
  debugger?: {
    attach(d: Debuggee, version: string): Promise<void>; detach(d: Debuggee): Promise<void>;
    sendCommand(d: Debuggee, method: string, params?: object): Promise<object | undefined>;
    getTargets(): Promise<{ id: string; tabId?: number; attached: boolean; type: string }[]>;
    onEvent: Listener<(d: Debuggee, method: string, params?: object) => void>;
    onDetach: Listener<(d: Debuggee, reason: string) => void>;
  };
  sidePanel?: { open(o: { windowId?: number; tabId?: number }): Promise<void>; setPanelBehavior(o: { openPanelOnActionClick: boolean }): Promise<void> };
  // Firefox only.
  sidebarAction?: { open(): Promise<void>; toggle(): Promise<void> };
}

export interface FrameAt { tabId: number; frameId: number; url: string }
export interface RequestAt {
  requestId: string; tabId: number; frameId: number; url: string; method: string; type: string;
  originUrl?: string; documentUrl?: string; statusCode?: number; error?: string; responseHeaders?: { name: string; value?: string }[];
}
interface RequestEvent { addListener(f: (r: RequestAt) => void | undefined | Promise<{ cancel: boolean }>, filter: object, extra?: string[]): void }
interface Area { get(k: string | string[]): Promise<Record<string, unknown>>; set(v: Record<string, unknown>): Promise<void>; remove(k: string | string[]): Promise<void> }
export interface MenuClick { menuItemId: string | number; selectionText?: string; linkUrl?: string; srcUrl?: string; pageUrl?: string }

const wide = globalThis as unknown as { browser?: Api; chrome?: Api };

// api is the extension's own, undefined on an ordinary page.
export const api: Api | undefined = [wide.browser, wide.chrome].find((a) => a?.runtime?.id !== undefined);

export const kind: 'chromium' | 'firefox' = navigator.userAgent.includes('Firefox/') ? 'firefox' : 'chromium';

// name is what a person calls this browser: "Chrome 156 on Linux".
export function name(): string {
  const m = /(Firefox|Edg|OPR|Chrome)\/(\d+)/.exec(navigator.userAgent);
  const on = /Windows|Mac OS X|Android|CrOS|Linux/.exec(navigator.userAgent)?.[0] ?? '';
  return [m ? `${m[1] === 'Edg' ? 'Edge' : m[1] === 'OPR' ? 'Opera' : m[1]} ${m[2]}` : 'Browser', on && `on ${on}`].filter(Boolean).join(' ');
}
