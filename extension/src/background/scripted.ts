// Lends tabs where there is no debugger (Firefox): the page script is put into a frame when a command asks for it, and
// told what to do there. Input is not trusted. scriptedwatch.ts tells what happens, scriptedfence.ts asks the daemon
// where pages may go.
import type { Api, TabInfo } from '../platform';
import type { Tell } from './debugging';
import type { Hooks } from './hooks';
import type { Memory } from './kept';
import { mayDrive, Problem } from './problem';
import type { Watch } from './scriptedwatch';

export interface Op { tab: number; frame: number; doc: string; kind: string; op: string; args: string; name: string; base: number }
export interface Said { doc?: string; text?: string; missing?: boolean; lost?: boolean; shut?: boolean }

// away is what Firefox says of a frame or document that is gone.
const away = /Invalid frame IDs|destroyed|actor|navigated|unloaded|Receiving end|No matching message handler/i;

interface Script {
  refOfNode(n: unknown, where: { frame: string; base: number }): string;
  hosts(): Element[]; askHook(secret: string, name: string): void; learn(n: unknown): void;
  call(kind: string, op: string, args: string, where: { frame: string; base: number }): Promise<string>;
}

export class Scripted {
  constructor(private api: Api, private memory: Memory, private hooks: Hooks, private watch: Watch, private tell: Tell) {}

  lends(tab: number | undefined): tab is number { return tab !== undefined && this.memory.now.tabs.includes(tab); }

  async lend(tab: number): Promise<object> {
    let t = await this.api.tabs.get(tab).catch(() => undefined);
    if (!t) throw new Problem('tab_gone', 'the tab is closed', 'use another tab');
    if (t.discarded) { await this.api.tabs.reload(tab); t = await this.api.tabs.get(tab); }
    const no = mayDrive(t.url || 'about:blank');
    if (no) throw no;
    if (!await this.api.permissions.contains({ origins: ['<all_urls>'] }))
      throw new Problem('refused', 'Firefox does not let wb into web pages', 'open about:addons, wb, Permissions, and allow "Access your data for all websites"');
    await this.memory.lend(tab);
    await this.hooks.update();
    return about(t);
  }

  async create(): Promise<object> {
    const t = await this.api.tabs.create({ url: 'about:blank', active: false });
    if (t.id === undefined) throw new Problem('fault', 'the new tab has no number');
    await this.watch.shown(t.id);
    await this.memory.save({ opened: [...this.memory.now.opened, t.id] });
    await this.memory.lend(t.id);
    await this.hooks.update();
    return { tab: t.id, ...about(t), url: 'about:blank' };
  }

  async giveBack(tab: number): Promise<void> {
    await this.memory.unlend(tab);
    await this.hooks.update();
  }

  async frames(tab: number): Promise<object[]> {
    const list = await this.api.webNavigation.getAllFrames({ tabId: tab }) ?? [];
    return list.map((f) => ({ frame: f.frameId, parent: f.parentFrameId, url: f.url }));
  }

  // run asks the page script of one document. missing: the frame shows another one now, and nothing was done there;
  // lost: the document went away meanwhile; shut: Firefox lets no extension into it, as into an empty tab.
  async run(o: Op): Promise<Said> {
    const said = await this.call(o);
    if (said.doc !== undefined || said.missing || said.lost || said.shut) return said;
    try {
      await this.api.scripting.executeScript({ target: { tabId: o.tab, frameIds: [o.frame] }, files: ['page.js'], injectImmediately: true });
    } catch (e) {
      if (/host permission/.test(String(e))) return { shut: true };
      if (!away.test(String(e))) throw e;
      return { missing: true };
    }
    return this.call(o);
  }

  private async call(o: Op): Promise<Said> {
    const shut = [{ result: { shut: true } as unknown, error: undefined, frameId: 0 }];
    const ran = this.api.scripting.executeScript({ target: { tabId: o.tab, frameIds: [o.frame] }, func: inside, args: [o.doc, o.kind, o.op, o.args, o.name, o.base], injectImmediately: true });
    const [r] = await ran.catch((e: unknown) => { if (away.test(String(e))) return []; if (/host permission/.test(String(e))) return shut; throw new Problem('fault', String(e).slice(0, 300), 'wb cannot work on this page; reload it or use another tab'); });
    if (r?.error !== undefined) throw new Problem('fault', 'the page script failed: ' + String((r.error as { message?: unknown }).message ?? r.error).slice(0, 300), 'take a new snapshot and try again');
    return (r?.result ?? { lost: true }) as Said;
  }

  // owners are the refs of the elements that hold a frame's children, with the children's numbers.
  async owners(tab: number, frame: number, name: string, base: number): Promise<unknown> {
    await this.api.scripting.executeScript({ target: { tabId: tab, frameIds: [frame] }, files: ['page.js'], injectImmediately: true });
    const [r] = await this.api.scripting.executeScript({ target: { tabId: tab, frameIds: [frame] }, func: holders, args: [name, base], injectImmediately: true });
    return r?.result ?? [];
  }

  // go begins to move a tab; what comes of it is told.
  async go(tab: number, url: string | undefined, delta: number): Promise<void> {
    const no = url === undefined ? undefined : mayDrive(url);
    if (no) throw no;
    this.tell('tab.going', { tab }); // what was told before is of the page before
    if (url !== undefined) {
      await this.api.tabs.update(tab, { url });
    } else if (delta === 0) await this.api.tabs.reload(tab);
    else if (delta === -1) await this.api.tabs.goBack?.(tab);
    else if (delta === 1) await this.api.tabs.goForward?.(tab);
    else await this.api.scripting.executeScript({ target: { tabId: tab }, func: (n: number) => { history.go(n); }, args: [delta], injectImmediately: true })
      .catch(() => { throw new Problem('nav_failed', 'the tab shows a page of the browser\'s own', 'go one step, or to an address'); });
  }

  async capture(tab: number, format: string, quality: number, rect: object | undefined): Promise<string> {
    if (!this.api.tabs.captureTab) throw new Problem('no_browser', 'this browser cannot take a picture of a tab');
    return this.api.tabs.captureTab(tab, { format, quality, scale: 1, ...(rect ? { rect } : {}) });
  }
}

function about(t: TabInfo): object { return { url: t.url ?? '', title: t.title ?? '', active: t.active, opener: t.openerTabId }; }

// inside runs in the world of the page script, so it may name nothing of this file.
function inside(doc: string, kind: string, op: string, args: string, frame: string, base: number): Promise<Said> | Said {
  const w = globalThis as unknown as { __wb?: Script; __wbDocument?: string };
  if (!Object.hasOwn(globalThis, '__wb')) return doc === '' ? {} : { missing: true };
  if (!Object.hasOwn(globalThis, '__wbDocument')) Object.defineProperty(globalThis, '__wbDocument', { value: performance.timeOrigin + '-' + Math.random() });
  const here = w.__wbDocument ?? '';
  if (doc !== '' && doc !== here) return { missing: true };
  const script = w.__wb as Script;
  if (op === 'snapshot' || op === 'find') { // Firefox shows an extension what it hides from pages
    for (const el of script.hosts()) script.learn((el as Element & { openOrClosedShadowRoot?: ShadowRoot | null }).openOrClosedShadowRoot);
    script.askHook('wb-listening', 'wb' + Math.random());
  }
  return script.call(kind, op, args, { frame, base }).then((text) => ({ doc: here, text }));
}

// holders runs there too.
function holders(frame: string, base: number): { ref: string; frame: number }[] {
  const out: { ref: string; frame: number }[] = [];
  if (!Object.hasOwn(globalThis, '__wb')) return out;
  const { __wb: script, browser } = globalThis as unknown as { __wb: Script; browser: { runtime: { getFrameId(el: Element): number } } };
  const walk = (root: ParentNode): void => {
    for (const el of root.querySelectorAll('*')) {
      if (/^(i?frame|object|embed)$/.test(el.localName)) {
        const frameId = browser.runtime.getFrameId(el);
        if (frameId > 0 && out.length < 500) out.push({ ref: script.refOfNode(el, { frame, base }), frame: frameId });
      }
      const inner = (el as Element & { openOrClosedShadowRoot?: ShadowRoot | null }).openOrClosedShadowRoot;
      if (inner) walk(inner);
    }
  };
  walk(document);
  return out;
}
