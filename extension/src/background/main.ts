// The background of the extension: keeps the line to the daemon, lends tabs, opens the panel. The browser stops
// it after 30 s of silence and starts it again for an event or an alarm; kept.ts holds what must survive that.
import { api, kind, name } from '../platform';
import { Peer } from '../shared/rpc';
import type { Welcome } from '../shared/wire';
import { commands } from './commands';
import { Debugging, listen } from './debugging';
import { Edges, listenToEdges } from './edge';
import { Memory, pairing } from './kept';
import { listenToMenus } from './menus';
import { pairNatively } from './native';
import { Outbox } from './outbox';
import { listenToPanel } from './panel';
import { Queue } from './queue';
import { listenWithout, Without } from './scriptedcommands';

const beat = 20_000; // both browsers stop a background that has made no extension call for 30 s
const worker = crypto.randomUUID();

if (api) start(api);

function start(a: NonNullable<typeof api>): void {
  let link: Peer | undefined, debugging: Debugging | undefined;
  const early: ((d: Debugging) => void)[] = []; // what came before the memory was read
  listen(a, (f) => { if (debugging) f(debugging); else early.push(f); });
  const without = a.debugger ? undefined : listenWithout(a);
  const ready = Memory.load(a).then((memory) => {
    const out = new Outbox((t) => link?.notify('told', t));
    const d = debugging = a.debugger ? new Debugging(a, memory, (method, params) => out.tell(method, params)) : undefined;
    const w = new Without(a, memory, (method, params) => out.tell(method, params));
    const edges = new Edges(a, memory, (method, params) => out.tell(method, params));
    const queue = new Queue(memory, commands(a, memory, d, w, edges));
    const p = link = new Peer({
      role: 'relay', name: name(), browser: kind,
      pairing: () => pairing(a),
      hello: () => ({ worker, epoch: memory.now.epoch, last: memory.now.last }),
      onLine: (line) => { if (without) w.line(line === 'up'); void a.action.setBadgeText({ text: line === 'up' ? '' : line === 'connecting' ? '…' : '!' }); },
      onNotify: (method, params) => { if (method === 'heard') out.heard((params as { n: number }).n); },
      onWelcome: async (w: Welcome) => {
        if (w.epoch !== memory.now.epoch) { // another daemon: it knows nothing of what this one's lent
          await Promise.all(memory.now.tabs.map((t) => d?.detach(t)));
          await memory.save({ epoch: w.epoch, last: 0, tabs: [], opened: [] });
          queue.forget();
        }
        p.notify('ready', {});
        out.again(w.heard ?? 0);
      },
      onRequest: (method, params, id) => queue.run(id, method, params),
    });
    void pairNatively(a).then(() => p.start());
    if (d) early.forEach((f) => f(d));
    without?.(w);
    return { p, edges };
  });
  listenToEdges(a, ready.then((r) => r.edges));
  const again = () => void ready.then(({ p }) => p.again());
  a.alarms.create('beat', { periodInMinutes: 0.5 });
  a.alarms.onAlarm.addListener(again);
  a.runtime.onStartup.addListener(again);
  a.runtime.onInstalled.addListener(again);
  listenToPanel(a, again);
  listenToMenus(a);
  setInterval(() => { void a.runtime.getPlatformInfo().then(() => link?.notify('alive', {})); }, beat);
}
