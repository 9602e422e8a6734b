/** What lies over text, so that nobody sees it. */
import { flatContains, flatParent, localName, rectOf } from './dom';
import { colour } from './colour';
import { hitAt, replaced } from './visible';

/** Is text at r, in el, covered by an opaque thing of its own? fixed: scrolling does not move the text. */
export function covered(el: Element, r: DOMRect, fixed: boolean): boolean {
  const y = Math.min(Math.max(r.top + r.height / 2, 1), innerHeight - 1);
  for (const k of [0.5, 0.1, 0.9]) {
    const x = r.left + r.width * k;
    if (x < 0 || x >= innerWidth) continue;
    const hit = hitAt(x, y);
    if (!hit || !hidesBehind(el, hit, fixed)) return veiled(el, r);
  }
  return true;
}

/** Is what was hit an opaque thing of its own, rather than what the text is in? One that scrolling moves away is none. */
function hidesBehind(el: Element, hit: Element, fixed: boolean): boolean {
  const mine = new Set<Element>();
  for (let e: Element | null = el, i = 0; e && i < 5000; e = flatParent(e), i++) mine.add(e);
  if (mine.has(hit) || flatContains(el, hit)) return false;
  let opaque = false, opacity = 1, stays = false;
  for (let e: Element | null = hit, i = 0; e && !mine.has(e) && i < 5000; e = flatParent(e), i++) {
    const style = getComputedStyle(e);
    opacity *= Number(style.opacity);
    if (style.position === 'fixed' || style.position === 'sticky') stays = true;
    if (replaced(e) && localName(e) !== 'svg' || (colour(style.backgroundColor)?.a ?? 0) > 0.95) opaque = true;
  }
  return opaque && opacity > 0.95 && (!stays || fixed);
}

/** Opaque boxes that let the pointer through: no question for what is at a point finds them. */
interface Veil { el: Element; z: number }
let veils: WeakMap<Element, Veil[]> | null = null;
const none: Veil[] = [], mostChildren = 60, highest = 12;

function veilsIn(p: Element): Veil[] {
  if (!veils) {
    veils = new WeakMap();
    queueMicrotask(() => { veils = null; }); // the page may change once this turn is over
  }
  const had = veils.get(p);
  if (had) return had;
  let out = none, n = 0;
  for (let c = p.firstElementChild; c && n < mostChildren; c = c.nextElementSibling, n++) {
    const style = getComputedStyle(c);
    if (style.pointerEvents !== 'none' || style.position !== 'absolute' || style.visibility !== 'visible') continue;
    if (Number(style.opacity) > 0.95 && (colour(style.backgroundColor)?.a ?? 0) > 0.95) out = [...out, { el: c, z: zOf(style) }];
  }
  veils.set(p, out);
  return out;
}

const zOf = (style: CSSStyleDeclaration): number => Number(style.zIndex) || 0;

/** Does such a box, beside what the text is in, lie over all of it? */
function veiled(el: Element, r: DOMRect): boolean {
  let branch: Element | null = null;
  for (let p: Element | null = el, i = 0; p && i < highest; branch = p, p = flatParent(p), i++) {
    for (const v of veilsIn(p)) {
      if (v.el === branch || v.z < 0) continue;
      const b = rectOf(v.el);
      if (b.left > r.left + 1 || b.right < r.right - 1 || b.top > r.top + 1 || b.bottom < r.bottom - 1) continue;
      const at = branch && getComputedStyle(branch), z = at && (at.position !== 'static' || at.transform !== 'none') ? zOf(at) : null;
      if (z === null || z < v.z || z === v.z && branch && (branch.compareDocumentPosition(v.el) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0) return true;
    }
  }
  return false;
}
