/** Baselines and settling: what an action changed, and when the page has come to rest. */
import { attr, clean, isConnected, isElement, isHTML, localName, quote, Refusal, selectAll, textContent } from './dom';
import { isSecret, shownValue, statesOf } from './facts';
import { dialogNames } from './overlays';
import { called, targetName, textOf } from './names';
import { checkAll, measure } from './expect';
import { heldElements, knownRef, refOf } from './refs';
import { roleOf } from './roles';
import { errorTexts, toastTexts } from './state';
import { begin, take, type Log } from './watch';
import { visible } from './visible';
import type { Measure, ReadOps } from './ops';

interface Baseline {
  log: Log; url: string; title: string; focus: Element | null; asked: number;
  held: Map<Element, string>; lists: Map<Element, number>; dialogs: string[]; toasts: string[]; errors: string[]; measures: Measure[];
}
const baselines = new Map<string, Baseline>();
let count = 0;

export function baseline(a: ReadOps['baseline']['args']): ReadOps['baseline']['answer'] {
  const token = 'b' + ++count, measures = (a.conditions ?? []).map(measure);
  baselines.set(token, {
    url: location.href, title: document.title, focus: document.activeElement, asked: 0, held: heldStates(), lists: listCounts(), dialogs: dialogNames(), toasts: toastTexts(), errors: errorTexts(),
    measures, log: begin(),
  });
  while (baselines.size > 8) for (const k of baselines.keys()) { baselines.delete(k); break; }
  return { token, measures };
}

export function baselineOf(token: string): Baseline {
  const b = baselines.get(token);
  if (!b) throw new Refusal('invalid_args', 'no baseline ' + clean(token, 20) + ' in this document', 'take a baseline before acting');
  return b;
}
export const measuresOf = (token: string | undefined): Measure[] => (token ? baselineOf(token).measures : []);

const summary = (el: Element): string => statesOf(el).filter((s) => s !== 'focused').join(' ') + '\u0000' + (isSecret(el) ? String((el instanceof HTMLInputElement ? el.value : '').length) : shownValue(el) ?? '');

function heldStates(): Map<Element, string> {
  const m = new Map<Element, string>(), until = performance.now() + 100;
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
  const quietMs = a.quietMs ?? 100, capMs = a.capMs ?? 5000, idleMs = a.idleMs ?? 150, ms = Math.round(now - b.asked);
  const pending = a.pending ?? 0, seen = b.log.real > 0 || a.netSeen === true || location.href !== b.url;
  const quietFor = Math.min(b.log.real ? now - b.log.last : Infinity, a.netSeen ? a.netQuietMs ?? Infinity : Infinity, ms || 0.5);
  let rest = pending === 0 && quietFor >= (seen ? quietMs : idleMs) && !moving();
  const base = { ms, url: location.href, changed: seen, pending };
  if (a.expect?.length) {
    const checked = checkAll(a.expect, b.measures);
    const passed = checked.every((c) => c.passed);
    if (ms < capMs && (!passed || !rest)) return { ...base, settled: false, effects: [], again: 15 };
    return { ...base, settled: rest, checked, effects: effects(b) };
  }
  if (!rest && ms < capMs) return { ...base, settled: false, effects: [], again: 15 };
  if (document.readyState === 'loading' && ms < capMs) rest = false;
  return { ...base, settled: rest, effects: effects(b) };
}

/** Short finite animations, such as a dialog that fades in. */
function moving(): boolean {
  return document.getAnimations().some((x) => {
    const end = Number(x.effect?.getComputedTiming().endTime ?? Infinity);
    return x.playState === 'running' && end <= 1000;
  });
}

/** What changed, in words, the most telling first. */
function effects(b: Baseline): string[] {
  const out: string[] = [];
  if (location.href !== b.url) out.push('url changed to ' + clean(location.href, 200));
  diff(b.dialogs, dialogNames(), out, (d) => d + ' opened', (d) => d + ' closed');
  diff(b.errors, errorTexts(), out, (e) => 'error shown: ' + quote(e), (e) => 'error gone: ' + quote(e));
  diff(b.toasts, toastTexts(), out, (t) => 'message shown: ' + quote(t), () => '');
  for (const [el, n] of b.lists) if (isConnected(el) && el.childElementCount !== n && visible(el)) out.push(called(listName(el)) + ': ' + n + ' -> ' + el.childElementCount);
  states(b, out);
  texts(b, out);
  if (document.title !== b.title) out.push('title changed to ' + quote(clean(document.title, 100)));
  const f = document.activeElement;
  if (f && f !== b.focus && f !== document.body && isHTML(f)) out.push('focus moved to ' + refOf(f) + ' ' + called(f));
  if (!out.length && b.log.real) out.push(appearance(b));
  return out.slice(0, 24);
}

const listName = (el: Element): Element => (localName(el) === 'tbody' ? el.closest('table') ?? el : el);

function diff(was: string[], now: string[], out: string[], added: (s: string) => string, gone: (s: string) => string): void {
  for (const s of now) if (!was.includes(s)) out.push(added(s));
  for (const s of was) if (!now.includes(s)) { const t = gone(s); if (t) out.push(t); }
}

function states(b: Baseline, out: string[]): void {
  let goneCount = 0;
  for (const [el, was] of b.held) {
    if (!isConnected(el)) { goneCount++; continue; }
    const now = summary(el);
    if (now === was) continue;
    const [s0 = '', v0 = ''] = was.split('\u0000'), [s1 = '', v1 = ''] = now.split('\u0000'), ref = refOf(el);
    const a0 = s0.split(' '), a1 = s1.split(' ');
    for (const s of a1) if (s && !a0.includes(s)) out.push(ref + ' ' + s);
    for (const s of a0) if (s && !a1.includes(s)) out.push(ref + ' not ' + s);
    if (v0 !== v1) out.push(ref + ' value ' + (isSecret(el) ? 'changed' : quote(v0) + ' -> ' + quote(v1)));
  }
  if (goneCount) out.push(goneCount + (goneCount === 1 ? ' known element' : ' known elements') + ' gone');
}

function texts(b: Baseline, out: string[]): void {
  const said = new Set<string>();
  for (const n of b.log.added) {
    if (said.size >= 5) break;
    const el = isElement(n) ? n : n.parentElement;
    if (!el || !isConnected(n) || !visible(el)) continue;
    const t = clean(isElement(n) ? textOf(n, 300) : textContent(n), 80);
    if (t && !secretText(el)) said.add(t);
  }
  const list = Array.from(said).filter((t) => !Array.from(said).some((o) => o !== t && o.includes(t)));
  for (const t of list) if (!out.some((o) => o.includes(t))) out.push('text added: ' + quote(t));
  const lost = new Set<string>();
  for (const n of b.log.removed) { const t = clean(textContent(n), 60); if (t && !isConnected(n) && !said.has(t) && lost.size < 3 && !(isElement(n) && /^(script|style|link|meta)$/.test(localName(n)))) lost.add(t); }
  for (const t of lost) out.push('text removed: ' + quote(t));
}
const secretText = (el: Element): boolean => isSecret(el) || /^(script|style)$/.test(localName(el));

function appearance(b: Baseline): string {
  for (const el of b.log.changed) {
    if (!isConnected(el)) continue;
    const name = targetName(el).name;
    return 'appearance of ' + (knownRef(el) ?? roleOf(el) ?? localName(el)) + (name ? ' ' + quote(clean(name, 40)) : '') + ' changed' + (attr(el, 'class') ? ' (class ' + quote(clean(attr(el, 'class'), 60)) + ')' : '');
  }
  return 'the page changed out of sight';
}

