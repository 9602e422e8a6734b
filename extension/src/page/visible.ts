/** What a person can perceive. */
import { flatContains, flatParent, isEdge, isElement, isHTML, localName, parentNode, rectOf, root } from './dom';
import type { Rect } from './ops';

export const replaced = (el: Element): boolean => /^(img|video|canvas|iframe|object|embed|svg|picture)$/.test(localName(el));

const atomic = /^(input|button|select|textarea|progress|meter|audio|fieldset)$/;
/**
 * A box among the words of a line: transforms, perspective, overflow and what they bring do not apply to it (CSS
 * Transforms 1, transformable element; CSS Overflow 3), so its style need not be asked for them.
 */
export const inLine = (el: Element, display: string): boolean => display === 'inline' && isHTML(el) && !replaced(el) && !atomic.test(localName(el));

/** Why text below an element is not seen, or '' if it is. Judged on the element alone; hidden ancestors are the walk's. */
export function hides(el: Element, style: CSSStyleDeclaration): '' | 'gone' | 'clipped' | 'transparent' {
  const display = style.display;
  if (display === 'none') return 'gone';
  if (style.contentVisibility === 'hidden') return 'gone';
  if (el instanceof SVGElement && neverDrawn.test(localName(el))) return 'gone';
  const up = parentNode(el);
  if (up instanceof HTMLDetailsElement && !up.open && localName(el) !== 'summary') return 'gone';
  if (Number(style.opacity) < 0.05) return 'transparent';
  if (/opacity\(0(\.0\d*)?%?\)/.test(style.filter)) return 'transparent';
  const clipPath = style.clipPath;
  if (clipPath !== 'none' && emptyPath(clipPath)) return 'clipped';
  if (inLine(el, display)) return '';
  const position = style.position, out = position === 'absolute' || position === 'fixed', cuts = style.overflow !== 'visible';
  if (out && /rect\((0|1)px,? (0|1)px,? (0|1)px,? (0|1)px\)/.test(style.clip)) return 'clipped';
  if (cuts || out) {
    const r = rectOf(el);
    if (cuts && display !== 'inline' && display !== 'contents' && (r.width <= 1 || r.height <= 1)) return 'clipped';
    if (position !== 'static' && r.width + r.height > 0 && offPage(r)) return 'clipped';
  }
  if (/^matrix\(0, 0, 0, 0/.test(style.transform)) return 'clipped';
  return '';
}

/** What an SVG only draws where it is used. */
const neverDrawn = /^(defs|symbol|clipPath|mask|pattern|marker)$/;

/** Does a clip-path leave nothing? Percentages are added up; lengths are not, but for zero radii and polygons without area. */
export function emptyPath(path: string): boolean {
  const inset = /^inset\(([^)]*?)(?: round [^)]*)?\)/.exec(path);
  if (inset?.[1]) {
    const v = inset[1].trim().split(/\s+/).map((x) => (x.endsWith('%') ? parseFloat(x) : 0)), top = v[0] ?? 0, right = v[1] ?? top, bottom = v[2] ?? top, left = v[3] ?? right;
    return top + bottom >= 100 || left + right >= 100;
  }
  if (/^(circle|ellipse)\(0(px|%)?[ )]/.test(path)) return true;
  const polygon = /^polygon\((?:\w+, )?(.*)\)$/.exec(path);
  if (!polygon?.[1]) return false;
  const pts = polygon[1].split(',').map((p) => p.trim().split(/\s+/).map(parseFloat));
  let area = 0;
  pts.forEach((p, i) => { const q = pts[(i + 1) % pts.length] ?? p; area += (p[0] ?? 0) * (q[1] ?? 0) - (q[0] ?? 0) * (p[1] ?? 0); });
  return Math.abs(area) < 1;
}

/** Left or above of everything that scrolling can show. */
function offPage(r: DOMRect): boolean {
  return r.right + scrollX <= 0 || r.bottom + scrollY <= 0;
}

export const boxOf = (el: Element): Rect => {
  const r = rectOf(el);
  return { x: Math.round(r.x), y: Math.round(r.y), w: Math.round(r.width), h: Math.round(r.height) };
};

export const inView = (r: { left: number; right: number; top: number; bottom: number; width: number; height: number }): boolean =>
  r.bottom > 0 && r.right > 0 && r.top < innerHeight && r.left < innerWidth && r.width + r.height > 0;

/** Can a person see the element itself? Looks at all ancestors; for single elements, not for walks. */
export function visible(el: Element): boolean {
  const r = rectOf(el);
  const style = getComputedStyle(el);
  if (style.visibility !== 'visible') return false;
  if (style.display !== 'contents' && (r.width <= 0 || r.height <= 0) && !hasBox(el)) return false;
  for (let e: Element | null = el, i = 0; e && i < 5000; e = flatParent(e), i++) if (hides(e, e === el ? style : getComputedStyle(e))) return false;
  return true;
}

function hasBox(el: Element): boolean {
  for (const c of el.children) { const r = rectOf(c); if (r.width > 0 && r.height > 0) return true; }
  return false;
}

/** The topmost element at a point of the viewport, shadow roots looked into. */
export function hitAt(x: number, y: number): Element | null {
  let at = document.elementFromPoint(x, y);
  if (at && isEdge(at)) at = document.elementsFromPoint(x, y).find((e) => !isEdge(e)) ?? null;
  for (let i = 0; at && i < 50; i++) {
    const r = at.shadowRoot;
    const inner: Element | null = r ? r.elementFromPoint(x, y) : null;
    if (!inner || inner === at) break;
    at = inner;
  }
  return at;
}

/** Would a click at a point reach el: what lies there is el, something in it, or a label of it. */
export function reaches(el: Element, hit: Element | null): boolean {
  if (!hit) return false;
  if (flatContains(el, hit)) return true;
  const label = isElement(hit) ? hit.closest('label') : null;
  if (label && label.control === el) return true;
  // A slot's or host's own box may answer for what is drawn in it.
  const r = root(el);
  return localName(hit) === 'slot' || (r instanceof ShadowRoot && r.host === hit && !hit.shadowRoot);
}
