/** Watches the document from the start, to tell what an action changed from what changes anyhow. */
import { isElement } from './dom';

/** What changed since a baseline; lists are capped. */
export class Log {
  real = 0;
  last = 0;
  added: Node[] = [];
  removed: Node[] = [];
  changed = new Set<Element>();
  private counts = new WeakMap<Node, number>();

  record(m: MutationRecord, now: number): void {
    const n = (this.counts.get(m.target) ?? 0) + 1;
    this.counts.set(m.target, n);
    if (n > noisyAfter) return;
    this.real++;
    this.last = now;
    if (m.type === 'childList') {
      for (const a of m.addedNodes) if (this.added.length < 300) this.added.push(a);
      for (const r of m.removedNodes) if (this.removed.length < 300) this.removed.push(r);
    } else if (m.type === 'characterData') { if (this.added.length < 300) this.added.push(m.target); }
    else if (isElement(m.target) && this.changed.size < 300) this.changed.add(m.target);
  }
}

const noisyBefore = 2, noisyAfter = 6, recentMs = 1500;
/** When a node changed, the last twelve times. */
const history = new WeakMap<Node, number[]>();
const logs = new Set<{ log: Log; at: number }>();
const cosmetic = new Set(['style', 'd', 'x', 'y', 'cx', 'cy', 'r', 'transform', 'points', 'stroke-dashoffset', 'data-focus-visible-added']);
let observer: MutationObserver | null = null;
let masking = false;
let changes = 0;

/** Equal while nothing has changed that a person would call a change: same document, same place in it. */
export function revision(): string {
  take();
  return [Math.round(performance.timeOrigin).toString(36), changes.toString(36), Math.round(scrollX), Math.round(scrollY), innerWidth, innerHeight].join('.');
}

/** Own changes, such as the boxes over secret fields, are not the page's. */
export function quietly(change: () => void): void {
  take();
  masking = true;
  try { change(); observer?.takeRecords(); } finally { masking = false; }
}

/** Starts once; a document that is not there yet is watched as soon as it is. */
export function start(): void {
  if (observer) return;
  observer = new MutationObserver(digest);
  addEventListener('input', () => { changes++; }, { capture: true, passive: true });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
}

/** Shadow roots are watched from when a walk meets them. */
const watched = new WeakSet<ShadowRoot>();
export function watchRoot(r: ShadowRoot): void {
  if (watched.has(r) || !observer) return;
  watched.add(r);
  observer.observe(r, { subtree: true, childList: true, attributes: true, characterData: true });
}

/** Takes in what has happened until now. */
export function take(): void { if (observer) digest(observer.takeRecords()); }

function digest(records: MutationRecord[]): void {
  if (masking) return;
  const now = performance.now();
  for (const m of records) {
    if (m.type === 'attributes' && cosmetic.has(m.attributeName ?? '')) continue;
    if (!wasRestless(m.target, now)) changes++;
    for (const l of logs) if (!wasRestless(m.target, l.at)) l.log.record(m, now);
    const times = history.get(m.target);
    if (!times) history.set(m.target, [now]);
    else if (times[times.length - 1] !== now) { times.push(now); if (times.length > 12) times.shift(); }
  }
}

/** Did the node change twice or more before the time, lately? */
function wasRestless(n: Node, at: number): boolean {
  const times = history.get(n);
  if (!times) return false;
  let count = 0, last = 0;
  for (const t of times) if (t < at) { count++; last = t; }
  return count >= noisyBefore && at - last < recentMs;
}

/** Begins a log. Nodes that changed twice or more, lately, are noise to it. */
export function begin(): Log {
  take();
  const log = new Log();
  logs.add({ log, at: performance.now() });
  while (logs.size > 8) for (const l of logs) { logs.delete(l); break; }
  return log;
}
