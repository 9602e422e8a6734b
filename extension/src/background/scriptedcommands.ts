// What the daemon may ask of a browser without a debugger, by name. Anything else is refused.
import type { Api } from '../platform';
import { number, text, type Command } from './commands';
import type { Tell } from './debugging';
import type { Edges } from './edge';
import { Hooks } from './hooks';
import type { Memory } from './kept';
import { Scripted } from './scripted';
import { Fence, listenToRequests } from './scriptedfence';
import { listenToTabs, Watch } from './scriptedwatch';

// orphaned is how long a tab stays lent without a line to the daemon, ms. Nothing is loaded in it meanwhile.
const orphaned = 60_000;

// Without is what stands in for the debugger.
export class Without {
  private late: ReturnType<typeof setTimeout> | undefined;
  readonly tabs: Scripted;
  readonly watch: Watch;
  readonly fence: Fence;

  constructor(api: Api, private memory: Memory, tell: Tell) {
    const hooks = new Hooks(api, memory);
    this.watch = new Watch(memory, hooks, tell);
    this.tabs = new Scripted(api, memory, hooks, this.watch, tell);
    this.fence = new Fence(api, this.watch, tell);
  }

  // line hears whether the daemon is there. Tabs that it has left alone are the person's again.
  line(up: boolean): void {
    if (up) { clearTimeout(this.late); this.late = undefined; return; }
    this.late ??= setTimeout(() => { for (const tab of [...this.memory.now.tabs]) void this.tabs.giveBack(tab); }, orphaned);
  }
}

export function scripted(w: Without, lent: (args: Record<string, unknown>) => number, edges: Edges): Record<string, Command> {
  return {
    'tab.lend': async (a) => {
      const tab = number(a.tab, 'tab'), got = await w.tabs.lend(tab);
      edges.show(tab);
      return got;
    },
    'tab.return': (a) => w.tabs.giveBack(number(a.tab, 'tab')),
    'tabs.create': () => w.tabs.create(),
    'frames.list': (a) => w.tabs.frames(lent(a)),
    'frame.op': (a) => w.tabs.run({ tab: lent(a), frame: number(a.frame, 'frame'), doc: text(a.doc, 'doc'), kind: text(a.kind, 'kind'), op: text(a.op, 'op'),
      args: text(a.args, 'args'), name: text(a.name, 'name'), base: number(a.base, 'base') }),
    'frame.owners': (a) => w.tabs.owners(lent(a), number(a.frame, 'frame'), text(a.name, 'name'), number(a.base, 'base')),
    'tab.nav': (a) => w.tabs.go(lent(a), a.url === undefined ? undefined : text(a.url, 'url'), number(a.delta ?? 0, 'delta')),
    'tab.capture': (a) => edges.apart(lent(a), 'Page.captureScreenshot', () => w.tabs.capture(lent(a), a.format === 'png' ? 'png' : 'jpeg', number(a.quality, 'quality'), box(a.rect))),
    'judge.answer': (a) => { w.fence.answer(number(a.id, 'id'), a.allow === true); return Promise.resolve(); },
  };
}

// box reads a rectangle of the page in CSS px.
function box(v: unknown): object | undefined {
  if (typeof v !== 'object' || v === null) return undefined;
  const r = v as Record<string, unknown>, side = (k: string): number => { const n = r[k]; return typeof n === 'number' && Number.isFinite(n) ? n : 0; };
  return { x: side('x'), y: side('y'), width: side('width'), height: side('height') };
}

// listenWithout must be called while the background's file runs. It answers what is called once the memory was read:
// what came before waits for that.
export function listenWithout(api: Api): (w: Without) => void {
  let now: Without | undefined;
  const early: ((w: Without) => void)[] = [];
  const then = (f: (w: Without) => void): void => { if (now) f(now); else early.push(f); };
  let begin: (f: Fence) => void;
  const ready = new Promise<Fence>((done) => { begin = done; });
  listenToTabs(api, (f) => then((w) => f(w.watch)));
  listenToRequests(api, ready, () => now !== undefined && now.watch.idle(), (r) => then((w) => w.watch.request('begun', r)));
  return (w) => { now = w; early.splice(0).forEach((f) => f(w)); begin(w.fence); w.line(false); };
}
