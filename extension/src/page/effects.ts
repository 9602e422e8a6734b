/** What changed since a baseline, in words, and which of it the action can have caused. */
import { attr, clean, contains, isConnected, isElement, isHTML, localName, quote, textContent } from './dom';
import { shownValue, statesOf } from './facts';
import { isSecret } from './secret';
import { firstGesture, lastGesture, printedSince } from './gestures';
import { called, targetName, textOf } from './names';
import { dialogs } from './overlays';
import { knownRef, refOf } from './refs';
import { roleOf } from './roles';
import { errors, toasts } from './state';
import type { Baseline } from './settle';
import { visible } from './visible';
import { isClock, isPeriodic, type Entry } from './watch';

/** Without a request or an animation, what comes later than this after the gesture is the page's own doing. */
const causedMs = 300;
/** A text of which only digits changed is a counter if it comes at once, and a clock if not. */
const tickMs = 60;

/** One effect. `el` is where it was seen, `own` that the page did it by itself. */
export interface Effect { text: string; el?: Element; own?: boolean; weak?: boolean }

/** Can the action have caused a change? By its time: soon after the gesture, or with what the gesture began. */
export function caused(b: Baseline, e: Entry): boolean {
  const from = lastGesture(b.at) || b.asked || Infinity;
  const began = beganAt(b);
  if (e.at < began) return false;
  if (e.tick && isClock(e.target) || isPeriodic(e, began)) return false;
  if (e.tick) return e.at <= from + tickMs || within(b, e.at);
  return e.at <= from + causedMs || within(b, e.at);
}
/** When the gesture began; where none was seen here, when the watch did. */
export const beganAt = (b: Baseline): number => firstGesture(b.at) || b.at;
const within = (b: Baseline, t: number): boolean => b.busy.some((s) => t >= s.from - 20 && t <= s.to + causedMs);

/** Is there a change near an element, and can the action have caused one of them? Without any nobody can say. */
export function isOwn(b: Baseline, el: Element): boolean {
  let near = false;
  for (const e of b.log.entries) {
    if (e.node !== el && !contains(el, e.node) && !contains(e.node, el)) continue;
    if (caused(b, e)) return false;
    near = true;
  }
  return near;
}

/** The effects, the most telling first. Those of the page's own doing are marked. */
export function effectsOf(b: Baseline): Effect[] {
  const out: Effect[] = [];
  if (location.href !== b.url) out.push({ text: 'url changed to ' + clean(location.href, 200) });
  if (printedSince(b.at)) out.push({ text: 'the page opened its print window' });
  diff(b.dialogs, dialogs(), out, (d) => d + ' opened', (d) => d + ' closed');
  diff(b.errors, errors(), out, (e) => 'error shown: ' + quote(e), (e) => 'error gone: ' + quote(e));
  diff(b.toasts, toasts(), out, (t) => 'message shown: ' + quote(t), () => '');
  for (const [el, n] of b.lists) if (isConnected(el) && el.childElementCount !== n && visible(el)) out.push({ text: called(listName(el)) + ': ' + n + ' -> ' + el.childElementCount, el });
  states(b, out);
  texts(b, out);
  if (document.title !== b.title) out.push({ text: 'title changed to ' + quote(clean(document.title, 100)), weak: true });
  focusMoved(b, out);
  for (const e of out) if (e.el && !e.own && isOwn(b, e.el)) e.own = true;
  if (out.every((e) => e.own) && b.log.entries.some((e) => caused(b, e))) out.push(appearance(b));
  return out.slice(0, 24);
}

const listName = (el: Element): Element => (localName(el) === 'tbody' ? el.closest('table') ?? el : el);

function focusMoved(b: Baseline, out: Effect[]): void {
  const f = document.activeElement;
  if (!f || f === b.focus || f === document.body || !isHTML(f)) return;
  if (b.about && (f === b.about || contains(f, b.about))) return; // where a press puts it anyway
  out.push({ text: 'focus moved to ' + refOf(f) + ' ' + called(f), weak: true });
}

function diff(was: Map<string, Element>, now: Map<string, Element>, out: Effect[], added: (s: string) => string, gone: (s: string) => string): void {
  for (const [s, el] of now) if (!was.has(s)) out.push({ text: added(s), el });
  for (const s of was.keys()) if (!now.has(s)) { const t = gone(s); if (t) out.push({ text: t }); }
}

/** States and value of an element, to compare; of a secret its length only. */
export const summary = (el: Element): string => statesOf(el).filter((s) => s !== 'focused').join(' ') + '\u0000' + (isSecret(el) ? String((el instanceof HTMLInputElement ? el.value : '').length) : shownValue(el) ?? '');

function states(b: Baseline, out: Effect[]): void {
  let goneCount = 0;
  for (const [el, was] of b.held) {
    if (!isConnected(el)) { goneCount++; continue; }
    const now = summary(el);
    if (now === was) continue;
    const [s0 = '', v0 = ''] = was.split('\u0000'), [s1 = '', v1 = ''] = now.split('\u0000'), ref = refOf(el);
    const a0 = s0.split(' '), a1 = s1.split(' ');
    const own = b.earlier !== null && b.earlier.el === el && el !== b.about && b.earlier.before === now;
    for (const s of a1) if (s && !a0.includes(s)) out.push({ text: ref + ' ' + s, el, own });
    for (const s of a0) if (s && !a1.includes(s)) out.push({ text: ref + ' not ' + s, el, own });
    if (v0 !== v1) out.push({ text: ref + ' value ' + (isSecret(el) ? 'changed' : quote(v0) + ' -> ' + quote(v1)), el, own });
  }
  if (goneCount) out.push({ text: goneCount + (goneCount === 1 ? ' known element' : ' known elements') + ' gone', weak: true, own: !anyRemovalCaused(b) });
}
const anyRemovalCaused = (b: Baseline): boolean => b.log.entries.some((e) => caused(b, e) && !e.tick) || !b.log.entries.length;

function texts(b: Baseline, out: Effect[]): void {
  const said = new Map<string, Element>();
  for (const n of b.log.added) {
    if (said.size >= 8) break;
    const el = isElement(n) ? n : n.parentElement;
    if (!el || !isConnected(n) || !visible(el)) continue;
    const t = clean(isElement(n) ? textOf(n, 300) : textContent(n), 80);
    if (t && !secretText(el)) said.set(t, el);
  }
  const list = Array.from(said).filter(([t]) => !Array.from(said.keys()).some((o) => o !== t && o.includes(t))).slice(0, 5);
  for (const [t, el] of list) if (!out.some((o) => o.text.includes(t))) out.push({ text: 'text added: ' + quote(t), el });
  const lost = new Set<string>(), at = new Map(b.log.entries.map((e) => [e.node, e] as const));
  for (const n of b.log.removed) {
    const t = clean(textContent(n), 60), e = at.get(n);
    if (!t || isConnected(n) || said.has(t) || lost.size >= 3 || lost.has(t) || (isElement(n) && /^(script|style|link|meta)$/.test(localName(n)))) continue;
    lost.add(t);
    out.push({ text: 'text removed: ' + quote(t), weak: true, own: e !== undefined && !caused(b, e) });
  }
}
const secretText = (el: Element): boolean => isSecret(el) || /^(script|style)$/.test(localName(el));

function appearance(b: Baseline): Effect {
  for (const el of b.log.changed) {
    if (!isConnected(el) || isOwn(b, el)) continue;
    const name = targetName(el).name;
    return { text: 'appearance of ' + (knownRef(el) ?? roleOf(el) ?? localName(el)) + (name ? ' ' + quote(clean(name, 40)) : '') + ' changed' + (attr(el, 'class') ? ' (class ' + quote(clean(attr(el, 'class'), 60)) + ')' : '') };
  }
  return { text: 'the page changed out of sight' };
}
