// The commands that the daemon may give, by name. Anything else is refused.
import type { Api } from '../platform';
import type { Debugging } from './debugging';
import type { Edges } from './edge';
import type { Memory } from './kept';
import { Problem } from './problem';
import { scripted, type Without } from './scriptedcommands';

export type Command = (args: Record<string, unknown>) => Promise<unknown>;

export function commands(api: Api, memory: Memory, d: Debugging | undefined, w: Without, edges: Edges): Record<string, Command> {
  const lent = (args: Record<string, unknown>): number => {
    const tab = number(args.tab, 'tab');
    if (!memory.now.tabs.includes(tab)) throw new Problem('tab_gone', 'the tab is not lent');
    return tab;
  };
  const common: Record<string, Command> = {
    'tabs.get': async (a) => {
      const t = await api.tabs.get(lent(a));
      return { url: t.url ?? '', title: t.title ?? '', active: t.active };
    },
    'tabs.close': async (a) => { await api.tabs.remove(lent(a)); },
    'tabs.activate': async (a) => { await api.tabs.update(lent(a), { active: true }); }, // the window keeps its place
  };
  if (!d) return { ...common, ...scripted(w, lent, edges) };
  return {
    ...common,
    'tabs.create': async () => {
      const t = await api.tabs.create({ url: 'about:blank', active: false });
      const tab = number(t.id, 'tab');
      await memory.save({ opened: [...memory.now.opened, tab] });
      return { tab, ...(await d.attach(tab, false)) };
    },
    'popup.go': (a) => d.popups.go(lent(a)),
    'debugger.attach': async (a) => {
      const tab = number(a.tab, 'tab'), got = await d.attach(tab, a.again === true);
      edges.show(tab);
      return got;
    },
    'debugger.detach': (a) => d.detach(number(a.tab, 'tab')),
    'debugger.send': (a) => {
      const tab = number(a.tab, 'tab'), method = text(a.method, 'method');
      return edges.apart(tab, method, () => d.send(tab, optional(a.session), method, a.params as object | undefined));
    },
  };
}

export function number(v: unknown, what: string): number {
  if (typeof v !== 'number' || !Number.isInteger(v)) throw new Problem('invalid_args', what + ' must be a number');
  return v;
}

export function text(v: unknown, what: string): string {
  if (typeof v !== 'string') throw new Problem('invalid_args', what + ' must be text');
  return v;
}

function optional(v: unknown): string | undefined { return v === undefined ? undefined : text(v, 'session'); }
