/** Baselines and settling: what an action changed, when the page has come to rest, and what came after. */
import { clean, contains, flatContains, isConnected, quote, Refusal, selectAll } from './dom';
import { shown } from './diff';
import { beganAt, caused, effectsOf, summary } from './effects';
import { checkAll, measure } from './expect';
import { deliveryTo } from './gestures';
import { called } from './names';
import { dialogs, overlays } from './overlays';
import { heldElements, knownRef, maxRef, refOf, resolve } from './refs';
import { errors, toasts } from './state';
import { begin, isSoft, take, type Log } from './watch';
import { visible } from './visible';
import type { Measure, ReadOps } from './ops';

/** The page at a moment, and what has been recorded since. */
export interface Baseline {
  at: number; log: Log; url: string; title: string; focus: Element | null; asked: number; watch: boolean;
  about: Element | null; // what the action is on
  busy: Array<{ from: number; to: number }>; // when a request or a short animation of the action's was under way
  held: Map<Element, string>; lists: Map<Element, number>; dialogs: Map<string, Element>; toasts: Map<string, Element>; errors: Map<string, Element>;
  overlays: Set<Element>; maxRef: number; // what lay above the page, and the last ref that was given out
  measures: Measure[]; earlier: Earlier | null;
}
/** What the last receipt said of its element, and how that was before it. */
interface Earlier { el: Element; before: string; at: number }

const baselines = new Map<string, Baseline>();
let count = 0;
/** The page as the last receipt left it. */
let after: Baseline | null = null;
let earlier: Earlier | null = null;

export function baseline(a: ReadOps['baseline']['args']): ReadOps['baseline']['answer'] {
  const since = a.watch ? late({}).since : [];
  const token = 'b' + ++count, measures = (a.conditions ?? []).map(measure);
  baselines.set(token, snap(measures, a.ref ? resolve(a.ref) : null, a.watch === true));
  while (baselines.size > 8) for (const k of baselines.keys()) { baselines.delete(k); break; }
  if (a.watch) after = null;
  return { token, measures, since };
}

function snap(measures: Measure[], about: Element | null, watch: boolean): Baseline {
  const tops = overlays();
  return {
    at: performance.now(), url: location.href, title: document.title, focus: document.activeElement, asked: 0, watch, about, busy: [], held: heldStates(about), lists: listCounts(),
    dialogs: dialogs(tops), overlays: new Set(tops.map((o) => o.el)), maxRef: maxRef(), toasts: toasts(), errors: errors(), measures, earlier: earlier && performance.now() - earlier.at < 5000 ? earlier : null, log: begin(),
  };
}

export function baselineOf(token: string): Baseline {
  const b = baselines.get(token);
  if (!b) throw new Refusal('invalid_args', 'no baseline ' + clean(token, 20) + ' in this document', 'take a baseline before acting');
  return b;
}
export const measuresOf = (token: string | undefined): Measure[] => (token ? baselineOf(token).measures : []);

function heldStates(first: Element | null): Map<Element, string> {
  const m = new Map<Element, string>(), until = performance.now() + 100;
  if (first) m.set(first, summary(first));
  for (const el of heldElements(400)) { if (performance.now() > until) break; m.set(el, summary(el)); }
  return m;
}

const listCSS = 'ul,ol,tbody,[role=list],[role=listbox],[role=grid],[role=rowgroup],[role=table],[role=feed],[role=tree]';
function listCounts(): Map<Element, number> {
  const m = new Map<Element, number>();
  for (const el of selectAll(listCSS, 150, performance.now() + 60)) m.set(el, el.childElementCount);
  return m;
}

/** One look; `again` says that it is not over. */
export function settle(a: ReadOps['settle']['args']): ReadOps['settle']['answer'] {
  const b = baselineOf(a.since), now = performance.now();
  take();
  b.asked ||= now;
  note(b, a, now);
  const capMs = a.capMs ?? 5000, ms = Math.round(now - b.asked), pending = a.pending ?? 0;
  const rest = resting(b, a, now, ms), over = ms >= (pending > 0 ? Math.max(capMs, a.pendingMs ?? 0) : capMs);
  const base = { ms, url: location.href, pending };
  const again = { ...base, changed: false, settled: false, effects: [], again: 15 };
  if (a.expect?.length) {
    const checked = checkAll(a.expect, b.measures);
    if (!over && (!checked.every((c) => c.passed) || !rest)) return again;
    return { ...base, settled: rest, checked, ...told(b) };
  }
  if (!rest && !over) return again;
  return { ...base, settled: rest && document.readyState !== 'loading', ...told(b) };
}

/** Writes down that something of the action's is under way. */
function note(b: Baseline, a: ReadOps['settle']['args'], now: number): void {
  const quiet = a.netSeen ? a.netQuietMs ?? Infinity : Infinity;
  if ((a.pending ?? 0) > 0 || moving()) b.busy.push({ from: now - 30, to: now });
  else if (quiet < 300) b.busy.push({ from: now - quiet - 30, to: now - quiet });
  if (b.busy.length > 2000) b.busy.splice(0, 1000);
}

/** Nothing is under way, and nothing has changed for a while; where nothing changed at all, for idleMs. */
function resting(b: Baseline, a: ReadOps['settle']['args'], now: number, ms: number): boolean {
  if ((a.pending ?? 0) > 0 || moving()) return false;
  const quietMs = a.quietMs ?? 100, idleMs = a.idleMs ?? 150, net = a.netSeen ? a.netQuietMs ?? Infinity : Infinity;
  let last = 0;
  for (const e of b.log.entries) if (caused(b, e) && (ms >= idleMs || !isSoft(e, beganAt(b)))) last = Math.max(last, e.at);
  const seen = last > 0 || a.netSeen === true || location.href !== b.url;
  if (b.log.real && ms < 1000 && last) last = Math.max(last, b.log.last);
  return Math.min(last ? now - last : Infinity, net, ms || 0.5) >= (seen ? quietMs : idleMs) && (last > 0 || ms >= idleMs || location.href !== b.url);
}

/** The end of an answer: what was seen, where the click went; and from here on the page is watched for what comes late. */
function told(b: Baseline): Pick<ReadOps['settle']['answer'], 'effects' | 'aside' | 'shown' | 'changed' | 'delivery' | 'landed'> {
  const all = effectsOf(b), effects = all.filter((e) => !e.own).map((e) => e.text), aside = all.filter((e) => e.own).map((e) => e.text).slice(0, 8);
  const now = b.watch && effects.length ? shown(b) : [];
  if (b.watch) {
    const was = b.about && b.held.get(b.about);
    earlier = b.about && was !== undefined && was !== null && isConnected(b.about) && summary(b.about) !== was ? { el: b.about, before: was, at: performance.now() } : null;
    after = snap([], b.about, true);
  }
  const out = { effects, ...(aside.length ? { aside } : {}), ...(now.length ? { shown: now } : {}), changed: effects.length > 0 };
  if (!b.about) return out;
  const d = deliveryTo(b.about, b.at), alone = all.every((e) => e.own || e.weak) && !isConnected(b.about);
  if (d.how === 'pressed' && (alone || !effects.length)) return { ...out, delivery: 'pressed' };
  if (d.how === 'elsewhere' && d.at && !flatContains(b.about, d.at)) return { ...out, delivery: 'elsewhere', landed: called(d.at) };
  return out;
}

/** What has changed since the last receipt, told once. */
export function late(_: ReadOps['late']['args']): ReadOps['late']['answer'] {
  if (!after) return { since: [] };
  take();
  const b = after, out: string[] = [];
  b.asked = Infinity; // whatever came counts
  if (earlier && isConnected(earlier.el) && b.held.get(earlier.el) !== undefined && summary(earlier.el) !== b.held.get(earlier.el)) out.push(reverted(earlier));
  const known = earlier ? knownRef(earlier.el) ?? '-' : '-';
  for (const e of effectsOf(b)) if (!/^focus moved|^appearance of|^the page changed out|^title changed/.test(e.text) && !e.text.startsWith(known + ' ') && !onlyTicks(b, e.el)) out.push(e.text);
  if (out.length) after = snap([], b.about && isConnected(b.about) ? b.about : null, true);
  return { since: out.slice(0, 8) };
}

function reverted(e: Earlier): string {
  const now = summary(e.el), [states = '', value = ''] = now.split('\u0000'), [, old = ''] = e.before.split('\u0000');
  const what = called(e.el) + ' [' + refOf(e.el) + ']', shown = value !== old || value ? quote(value) : states || quote('');
  return now === e.before || (value === old && value === '') ? what + ' was reverted to ' + shown : what + ' changed to ' + shown;
}

function onlyTicks(b: Baseline, el: Element | undefined): boolean {
  if (!el) return false;
  const near = b.log.entries.filter((e) => e.node === el || contains(el, e.node));
  return near.length > 0 && near.every((e) => e.tick) && visible(el);
}

/** Short finite animations, such as a dialog that fades in. */
function moving(): boolean {
  return document.getAnimations().some((x) => {
    const end = Number(x.effect?.getComputedTiming().endTime ?? Infinity);
    return x.playState === 'running' && end <= 1000;
  });
}
