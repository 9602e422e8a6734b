/** Watches the document from the start, to tell what an action changed from what changes anyhow. */
import { attr, isEdge, isElement, localName, textContent } from './dom';
import { lastGesture, start as watchGestures } from './gestures';

/** One change since a baseline. `node` is what changed, or what was added or removed. tick: only digits changed, as in a clock. */
export interface Entry { node: Node; target: Node; sign: string; at: number; tick: boolean }

/** What changed since a baseline; lists are capped. */
export class Log {
  real = 0;
  last = 0;
  added: Node[] = [];
  removed: Node[] = [];
  changed = new Set<Element>();
  entries: Entry[] = [];
  private known = new WeakMap<Node, Map<string, boolean>>();
  private counts = new WeakMap<Node, Map<string, { n: number; at: number }>>();

  record(m: MutationRecord, sign: string, now: number): void {
    if (this.restless(m.target, sign, now)) return;
    this.real++;
    this.last = now;
    const tick = isTick(m);
    const note = (node: Node): void => { if (this.entries.length < 600) this.entries.push({ node, target: m.target, sign, at: now, tick }); };
    if (m.type === 'childList') {
      for (const a of m.addedNodes) if (this.added.length < 300) { this.added.push(a); note(a); }
      for (const r of m.removedNodes) if (this.removed.length < 300) { this.removed.push(r); note(r); }
      note(m.target);
    } else if (m.type === 'characterData') {
      if (this.added.length < 300) this.added.push(m.target);
      note(m.target);
    } else if (isElement(m.target) && this.changed.size < 300) { this.changed.add(m.target); note(m.target); }
  }

  /** Was it restless before the log began? Asked once: what it did before is forgotten in time. */
  noisy(target: Node, sign: string, at: number): boolean {
    let of = this.known.get(target);
    if (!of) this.known.set(target, of = new Map());
    let is = of.get(sign);
    if (is === undefined) {
      is = wasRestless(target, sign, at);
      if (of.size < maxSigns) of.set(sign, is);
    }
    return is;
  }

  /** Has it changed in this way too often since the log began? Changes of one moment count once. */
  private restless(target: Node, sign: string, now: number): boolean {
    let of = this.counts.get(target);
    if (!of) this.counts.set(target, of = new Map());
    const c = of.get(sign) ?? { n: 0, at: 0 };
    if (now - c.at > 5) c.n++;
    c.at = now;
    if (of.size < maxSigns) of.set(sign, c);
    return c.n > noisyAfter;
  }
}

const noisyBefore = 2, noisyAfter = 6, recentMs = 1500, maxSigns = 24;
/** When a node changed in which way: first, and the last twelve times. */
interface Past { first: number; times: number[] }
const history = new WeakMap<Node, Map<string, Past>>();
const logs = new Set<{ log: Log; at: number }>();
const cosmetic = new Set(['style', 'd', 'x', 'y', 'cx', 'cy', 'r', 'transform', 'points', 'stroke-dashoffset', 'data-focus-visible-added']);
const fleeting = /ripple|focus|hover|pressed|wave/i;
/** Where digits have changed without a gesture. */
const clocks = new WeakSet<Node>();
export const isClock = (n: Node): boolean => clocks.has(n);
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
  watchGestures();
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true, attributeOldValue: true, characterDataOldValue: true });
}

/** Shadow roots are watched from when a walk meets them. */
const watched = new WeakSet<ShadowRoot>();
export function watchRoot(r: ShadowRoot): void {
  if (watched.has(r) || !observer) return;
  watched.add(r);
  observer.observe(r, { subtree: true, childList: true, attributes: true, characterData: true, attributeOldValue: true, characterDataOldValue: true });
}

/** Takes in what has happened until now. */
export function take(): void { if (observer) digest(observer.takeRecords()); }

function digest(records: MutationRecord[]): void {
  if (masking) return;
  const now = performance.now();
  for (const m of records) {
    if (isCosmetic(m)) continue;
    const sign = signOf(m);
    if (isTick(m) && !lastGesture(now - 80)) clocks.add(m.target);
    if (!wasRestless(m.target, sign, now)) changes++;
    for (const l of logs) if (!l.log.noisy(m.target, sign, l.at)) l.log.record(m, sign, now);
    remember(m.target, sign, now);
  }
}

/** Changes that nobody waits for: positions, and marks of a press, a hover or the focus. */
function isCosmetic(m: MutationRecord): boolean {
  if (m.type === 'attributes') {
    if (cosmetic.has(m.attributeName ?? '')) return true;
    if (m.attributeName !== 'class' || !isElement(m.target)) return false;
    const was = (m.oldValue ?? '').split(/\s+/), now = (attr(m.target, 'class') ?? '').split(/\s+/);
    const moved = [...now.filter((c) => !was.includes(c)), ...was.filter((c) => !now.includes(c))].filter(Boolean);
    return moved.every((c) => fleeting.test(c));
  }
  if (m.type !== 'childList') return false;
  if ([...m.addedNodes, ...m.removedNodes].every(isEdge)) return true;
  return [...m.addedNodes, ...m.removedNodes].every((n) => isElement(n) && fleeting.test(attr(n, 'class') ?? '') && !textContent(n));
}

const bones = (s: string | null): string => (s ?? '').slice(0, 200).replace(/\d+/g, '0');
/** Only digits changed: a clock, a countdown, or a counter. */
function isTick(m: MutationRecord): boolean {
  if (m.type === 'characterData') { const now = textContent(m.target); return now !== m.oldValue && /\d/.test(now ?? '') && bones(now) === bones(m.oldValue); }
  if (m.type !== 'childList' || m.addedNodes.length !== 1 || m.removedNodes.length !== 1) return false;
  const now = textContent(m.addedNodes[0] as Node), was = textContent(m.removedNodes[0] as Node);
  return now !== was && /\d/.test(now ?? '') && bones(now) === bones(was);
}

/** In which way a node changed: a toast that comes each second must not hide the dialog that comes once. */
function signOf(m: MutationRecord): string {
  if (m.type === 'attributes') return '@' + m.attributeName;
  if (m.type === 'characterData') return '#';
  const n = m.addedNodes[0] ?? m.removedNodes[0] ?? null;
  return isElement(n) ? localName(n) + '.' + (attr(n, 'class') ?? '').slice(0, 60) : '#';
}

function remember(n: Node, sign: string, now: number): void {
  let of = history.get(n);
  if (!of) history.set(n, of = new Map());
  const past = of.get(sign);
  if (!past) { if (of.size < maxSigns) of.set(sign, { first: now, times: [now] }); return; }
  const times = past.times;
  if (times[times.length - 1] === now) return;
  times.push(now);
  if (times.length > 12) times.shift();
}

/** Did the node change in this way twice or more before the time, lately? */
function wasRestless(n: Node, sign: string, at: number): boolean {
  const times = history.get(n)?.get(sign)?.times;
  if (!times) return false;
  let count = 0, last = 0;
  for (const t of times) if (t < at) { count++; last = t; }
  return count >= noisyBefore && at - last < recentMs;
}

/** Did it change in this way before a time already, and again and again since? Then it does so by itself. */
export function isPeriodic(e: Entry, at: number): boolean {
  const past = history.get(e.target)?.get(e.sign);
  return past !== undefined && past.first < at && past.times.filter((t) => t >= at).length >= (e.tick ? 2 : 3);
}

/** Did it change in this way shortly before a time too? Then it must be watched longer to know whose doing it is. */
export function isSoft(e: Entry, at: number): boolean {
  const past = history.get(e.target)?.get(e.sign);
  return past !== undefined && (past.first < at && past.first > at - recentMs || past.times.some((t) => t < at && t > at - recentMs));
}

/** Begins a log. Nodes that changed twice or more, lately, are noise to it. */
export function begin(): Log {
  take();
  const log = new Log();
  logs.add({ log, at: performance.now() });
  while (logs.size > 10) for (const l of logs) { logs.delete(l); break; }
  return log;
}
