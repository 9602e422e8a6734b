/** Refs: numbers that name elements for as long as this document lives, and find them again when a framework re-made them. */
import { attr, clean, compare, eachElement, flatParent, idOf, isConnected, localName, previousSibling, Refusal } from './dom';
import { targetName } from './names';
import { inputType, roleOf } from './roles';
import { boxOf } from './visible';
import { container } from './facts';
import type { Candidate, Ref, Where } from './ops';

interface Print { role: string; name: string; tag: string; id: string; attrs: string; index: number; of: string }

const numbers = new WeakMap<Element, number>();
const held = new Map<number, { el: WeakRef<Element>; print: Print }>();
let counter = 0, base = 0, prefix = '', started = false;

/** Tells the registry where it is; the first call sets the base for good. */
export function begin(w: Where): void {
  if (started) return;
  started = true;
  counter = base = Math.max(0, Math.floor(w.base) || 0);
  prefix = w.frame === 'f0' || !/^f\d+$/.test(w.frame) ? '' : w.frame;
}
export const maxRef = (): number => counter;

/** The ref of an element, given out now if it has none. */
export function refOf(el: Element, role?: string, name?: string): Ref {
  let n = numbers.get(el);
  if (n === undefined) {
    n = ++counter;
    numbers.set(el, n);
    held.set(n, { el: new WeakRef(el), print: printOf(el, role, name) });
  }
  return prefix + 'e' + n;
}
/** The ref an element has already. */
export const knownRef = (el: Element): Ref | undefined => { const n = numbers.get(el); return n === undefined ? undefined : prefix + 'e' + n; };

function printOf(el: Element, role = roleOf(el), name = targetName(el, role).name): Print {
  const attrs = [attr(el, 'name'), attr(el, 'data-testid') ?? attr(el, 'data-test'), inputType(el), attr(el, 'href')].map((v) => clean(v, 200)).join('|');
  const { index, of } = place(el);
  return { role, name, tag: localName(el), id: clean(idOf(el), 100), attrs, index, of };
}

/** Position among like siblings, and what holds them. */
function place(el: Element): { index: number; of: string } {
  const p = flatParent(el);
  let index = 0;
  for (let s = previousSibling(el), i = 0; s && i < 100; s = previousSibling(s), i++) if (localName(s) === localName(el)) index++;
  return { index, of: p ? localName(p) + '#' + clean(idOf(p), 60) + '.' + clean(attr(p, 'class'), 60) : '' };
}

const same = (a: Print, b: Print): boolean => a.role === b.role && a.name === b.name && a.tag === b.tag && a.id === b.id && a.attrs === b.attrs;

/** A short text that stays equal while an element is the same control. */
export function fingerprint(el: Element): string {
  const p = printOf(el);
  let h = 2166136261;
  for (const c of [p.tag, p.role, p.name, p.id, p.attrs, String(p.index), p.of].join('\u0000')) h = Math.imul(h ^ c.charCodeAt(0), 16777619);
  return (h >>> 0).toString(16).padStart(8, '0');
}

/** The live element of a ref. A re-made node is found by an exact and unique fingerprint; else the ref is stale. */
export function resolve(ref: unknown): Element {
  const m = typeof ref === 'string' ? /^(f\d+)?e(\d{1,9})$/.exec(ref.trim()) : null;
  if (!m) throw new Refusal('invalid_args', 'not a ref: ' + clean(String(ref), 40), 'use a ref such as e12 from the last snapshot');
  if ((m[1] ?? '') !== prefix && !(m[1] === 'f0' && prefix === '')) throw new Refusal('stale_ref', m[0] + ' belongs to another frame', 'take a new snapshot');
  const n = Number(m[2]), h = held.get(n);
  if (!h) throw new Refusal('stale_ref', m[0] + (n <= base ? ' belongs to an earlier document' : ' was never given out here'), 'take a new snapshot and use its refs');
  const el = h.el.deref();
  if (el && isConnected(el)) return el;
  return again(n, m[0], h.print);
}

function again(n: number, ref: string, print: Print): Element {
  const exact: Element[] = [], near: Element[] = [];
  eachElement(document.documentElement, (e) => {
    if (localName(e) !== print.tag) return;
    const p = printOf(e);
    if (same(p, print)) exact.push(e);
    else if (p.role === print.role && near.length < 200) near.push(e);
  }, performance.now() + 400);
  let fit = exact;
  if (fit.length > 1) fit = exact.filter((e) => { const q = place(e); return q.index === print.index && q.of === print.of; });
  const one = fit[0];
  const taken = one ? numbers.get(one) : undefined;
  if (one && fit.length === 1 && (exact.length === 1 || print.id !== '') && taken === undefined) {
    numbers.set(one, n);
    held.set(n, { el: new WeakRef(one), print });
    return one;
  }
  if (one && exact.length === 1 && taken !== undefined) return one;
  const list = (exact.length ? exact : nearest(near, print)).slice(0, 5).map(candidate);
  throw new Refusal('stale_ref', ref + ' (' + print.role + ' "' + print.name + '") is gone from the page' + (exact.length > 1 ? ', and ' + exact.length + ' elements look like it' : ''), 'use one of the nearest live elements, or take a new snapshot', { near: list });
}

function nearest(list: Element[], print: Print): Element[] {
  const want = new Set(print.name.toLowerCase().split(/\s+/));
  const score = (e: Element): number => targetName(e).name.toLowerCase().split(/\s+/).filter((w) => want.has(w)).length;
  return list.map((e) => ({ e, s: score(e) })).filter((x) => x.s > 0).sort((a, b) => b.s - a.s || (compare(a.e, b.e) & 4 ? -1 : 1)).map((x) => x.e);
}

/** An element as somebody may mean it. */
export function candidate(el: Element): Candidate {
  const role = roleOf(el), name = targetName(el, role).name;
  return { ref: refOf(el, role, name), role: role || 'clickable', name, rect: boxOf(el), in: container(el) };
}

/** Live elements that have refs, the newest first, at most n. */
export function heldElements(n: number): Element[] {
  const out: Element[] = [];
  for (let i = counter; i > base && out.length < n; i--) {
    const el = held.get(i)?.el.deref();
    if (el && isConnected(el)) out.push(el);
  }
  return out;
}
