/** Finding what is meant: by role and name, by CSS, by literal text. */
import { attr, clean, eachElement, isConnected, isElement, isHTML, localName, Refusal, scrollIntoView, selectAll } from './dom';
import { called, targetName, textOf } from './names';
import { topModal } from './overlays';
import { candidate, refOf } from './refs';
import { isControl, isFrame, isListening, roleOf } from './roles';
import { hides, inView, visible } from './visible';
import { invites } from './hints';
import { labelFor } from './names';
import type { ActOps, ReadOps } from './ops';

const fold = (s: string): string => s.toLowerCase().replace(/\s+/g, ' ').trim();

/** Targets by text and role inside of the topmost modal. */
export function find(a: ReadOps['find']['args']): ReadOps['find']['answer'] {
  const modal = topModal();
  const start = modal?.el ?? document.body;
  const limit = Math.min(a.limit ?? 10, 50), want = fold(a.text ?? ''), role = a.role?.toLowerCase();
  const hits: Array<{ el: Element; score: number }> = [];
  if (start) targets(start, a.anyElement === true, (el, r) => {
    if (role && r !== role && !(role === 'textbox' && r === 'searchbox')) return;
    const score = want ? fit(want, el, r) : 1;
    if (score > 0) hits.push({ el, score });
  });
  const seen = hits.filter((h) => visible(h.el) || labelFor(h.el) !== null);
  seen.sort((x, y) => y.score - x.score);
  const exact = seen.filter((h) => h.score >= 4).length;
  const candidates = seen.slice(0, limit).map((h) => ({ ...candidate(h.el), inView: inView(h.el.getBoundingClientRect()) }));
  return { candidates, exact: want ? exact : 0, total: seen.length, scope: modal ? called(modal.el) : '' };
}

function fit(want: string, el: Element, role: string): number {
  const name = fold(targetName(el, role).name);
  if (name === want) return 4;
  if (name.startsWith(want)) return 3;
  if (name.includes(want)) return 2;
  const ph = fold(attr(el, 'placeholder') ?? '');
  if (ph && ph.includes(want)) return 2;
  if (!name.includes(want.slice(0, 1)) && role) return 0;
  return fold(textOf(el, 300)) === want ? 3 : 0;
}

/** Calls with each target below start, hidden subtrees left out. */
function targets(start: Element, any: boolean, call: (el: Element, role: string) => void): void {
  const pointers = new WeakSet<Element>();
  eachElement(start, (el) => {
    const style = getComputedStyle(el);
    if (hides(el, style) === 'gone' && !labelFor(el)) return false;
    const up = el.parentElement;
    const pointer = invites(style.cursor);
    if (pointer) pointers.add(el);
    const role = roleOf(el);
    if (isControl(el, role) || isListening(el) || isFrame(el) || (pointer && !(up && pointers.has(up)) && localName(el) !== 'label')) call(el, role || 'clickable');
    else if (any && role && role !== 'paragraph') call(el, role);
    return true;
  }, performance.now() + 1200);
}

/** Elements by a CSS selector. */
export function bySelector(css: string, cap: number): Element[] {
  try { return selectAll(css, cap); } catch { throw new Refusal('invalid_args', 'not a CSS selector: ' + clean(css, 80), 'use plain CSS, without :contains or text='); }
}

export function selector(a: ReadOps['selector']['args']): ReadOps['selector']['answer'] {
  const all = bySelector(a.css, 2000);
  const list = a.visible ? all.filter(visible) : all;
  return { candidates: list.slice(a.offset ?? 0, (a.offset ?? 0) + Math.min(a.limit ?? 20, 50)).map(candidate), total: list.length };
}

let last: { text: string; index: number } | null = null;

/** Selects the next literal match of the text, in document order. */
export function findText(a: ActOps['findText']['args']): ActOps['findText']['answer'] {
  const want = a.matchCase ? a.text : a.text.toLowerCase();
  if (!want.trim()) throw new Refusal('invalid_args', 'text is empty', 'give the text to find');
  const ranges = matchesOf(want, a.matchCase === true);
  if (!ranges.length) { last = null; return { found: false, index: -1, total: 0, context: '' }; }
  const step = a.backwards ? -1 : 1;
  let i = last && last.text === want ? last.index + step : a.backwards ? ranges.length - 1 : 0;
  if (i < 0 || i >= ranges.length) {
    if (a.wrap === false) return { found: false, index: -1, total: ranges.length, context: '' };
    i = i < 0 ? ranges.length - 1 : 0;
  }
  last = { text: want, index: i };
  const range = ranges[i];
  const el = range?.startContainer.parentElement;
  if (!range || !el || !isConnected(el)) return { found: false, index: -1, total: ranges.length, context: '' };
  scrollIntoView(el, { block: 'center', behavior: 'instant' });
  const sel = getSelection();
  sel?.removeAllRanges();
  sel?.addRange(range);
  const block = el.closest('p,li,td,th,dd,dt,h1,h2,h3,h4,h5,h6,pre,div') ?? el;
  const context = clean(textOf(block, 600), 240);
  const out: ActOps['findText']['answer'] = { found: true, index: i, total: ranges.length, context };
  const target = el.closest('a,button,[role],label');
  if (target) out.ref = refOf(target);
  return out;
}

/** Matches in the text of visible elements; a match may span neighbouring text nodes of one block. */
function matchesOf(want: string, matchCase: boolean): Range[] {
  const out: Range[] = [], until = performance.now() + 1200;
  let nodes: Text[] = [], text = '';
  const end = (): void => {
    const hay = matchCase ? text : text.toLowerCase();
    for (let at = hay.indexOf(want); at >= 0 && out.length < 1000; at = hay.indexOf(want, at + want.length)) {
      const r = rangeAt(nodes, at, at + want.length);
      if (r) out.push(r);
    }
    nodes = []; text = '';
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (n) => {
    if (n instanceof Text) return NodeFilter.FILTER_ACCEPT;
    if (!isElement(n) || /^(script|style|noscript|template)$/.test(localName(n))) return NodeFilter.FILTER_REJECT;
    const s = getComputedStyle(n);
    return isHTML(n) && hides(n, s) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
  });
  for (let n = walker.nextNode(), i = 0; n; n = walker.nextNode(), i++) {
    if ((i & 127) === 0 && performance.now() > until) break;
    if (n instanceof Text) { if (n.data.length < 200000) { nodes.push(n); text += n.data; } continue; }
    if (isElement(n) && !/^inline/.test(getComputedStyle(n).display)) end();
  }
  end();
  return out;
}

function rangeAt(nodes: Text[], from: number, to: number): Range | null {
  const r = document.createRange();
  let at = 0, begun = false;
  for (const n of nodes) {
    const end = at + n.data.length;
    if (!begun && from < end) { r.setStart(n, from - at); begun = true; }
    if (begun && to <= end) { r.setEnd(n, to - at); return r; }
    at = end;
  }
  return null;
}
