/** Points, scrolling and the viewport. */
import { clean, clientHeight, clientWidth, flatParent, isConnected, localName, rectOf, Refusal, scrollHeight, scrollIntoView, scrollLeft, scrollTo, scrollTop, scrollWidth } from './dom';
import { factsOf, targetOf } from './facts';
import { called, targetName } from './names';
import { refOf, resolve } from './refs';
import { pressable } from './fill';
import { aim, still } from './aim';
import { roleOf } from './roles';
import { boxOf, hitAt } from './visible';
import type { ActOps, ReadOps } from './ops';

/** Brings an element into view, waits until it has stopped moving, and says where to press it and what lies there. */
export async function point(a: ReadOps['point']['args']): Promise<ReadOps['point']['answer']> {
  let el = resolve(a.ref), on = pressable(el);
  for (let i = 0; a.scroll !== false && i < 3; i++) {
    scrollIntoView(on, { block: 'center', inline: 'center', behavior: 'instant' });
    await still(on);
    if (isConnected(on)) break;
    el = resolve(a.ref); // a list that draws only what is in view has made it anew
    on = pressable(el);
  }
  const best = aim(el, on);
  if (!best) throw new Refusal('not_actionable', called(el) + ' has no box on the page', 'it is not rendered; take a new snapshot');
  return { x: best.x, y: best.y, rect: boxOf(on), zoom: devicePixelRatio, hit: say(best.hit), covered: best.covered, facts: factsOf(el) };
}

function say(hit: Element | null): ReadOps['point']['answer']['hit'] {
  if (!hit) return { role: '', name: 'nothing (outside of the viewport)' };
  const t = targetOf(hit), role = roleOf(t), name = targetName(t, role).name;
  return { ref: refOf(t, role, name), role: role || localName(t), name };
}

export function at(a: ReadOps['at']['args']): ReadOps['at']['answer'] {
  const hit = hitAt(a.x, a.y);
  if (!hit) return {};
  const t = targetOf(hit);
  return t === hit ? { facts: factsOf(hit), target: factsOf(hit) } : { facts: factsOf(hit), target: factsOf(t) };
}

export function focused(): ReadOps['focus']['answer'] {
  let el = document.activeElement;
  for (let i = 0; el?.shadowRoot?.activeElement && i < 50; i++) el = el.shadowRoot.activeElement;
  return !el || el === document.body || el === document.documentElement ? {} : { facts: factsOf(el) };
}

const page = (): Element => document.scrollingElement ?? document.documentElement;

export function viewport(): ReadOps['window']['answer'] {
  const p = page();
  return { width: innerWidth, height: innerHeight, scrollX: Math.round(scrollX), scrollY: Math.round(scrollY), pageWidth: scrollWidth(p), pageHeight: scrollHeight(p), ratio: devicePixelRatio };
}

function scrollerOf(from: Element | null, vertical: boolean): Element {
  for (let e = from, i = 0; e && e !== page() && i < 5000; e = flatParent(e), i++) {
    const s = getComputedStyle(e), o = vertical ? s.overflowY : s.overflowX;
    if (/auto|scroll|overlay/.test(o) && (vertical ? scrollHeight(e) > clientHeight(e) + 1 : scrollWidth(e) > clientWidth(e) + 1)) return e;
  }
  return page();
}

export function scroll(a: ActOps['scroll']['args']): ActOps['scroll']['answer'] {
  const from = a.ref ? resolve(a.ref) : a.x !== undefined && a.y !== undefined ? hitAt(a.x, a.y) : null;
  if (a.direction === 'into_view') {
    if (!from) throw new Refusal('invalid_args', 'into_view needs a ref', 'give the ref to scroll to');
    const before = rectOf(from).top;
    scrollIntoView(from, { block: 'center', inline: 'nearest', behavior: 'instant' });
    return answer(page(), Math.abs(rectOf(from).top - before) > 1, true);
  }
  const vertical = !['left', 'right'].includes(a.direction), el = from ? scrollerOf(from, vertical) : mainScroller(vertical);
  const by = (a.amount ?? 0.8) * (vertical ? Math.max(clientHeight(el), 50) : Math.max(clientWidth(el), 50));
  const was = [scrollLeft(el), scrollTop(el)];
  const to: ScrollToOptions = { behavior: 'instant', left: scrollLeft(el), top: scrollTop(el) };
  if (a.direction === 'up') to.top = scrollTop(el) - by; else if (a.direction === 'down') to.top = scrollTop(el) + by;
  else if (a.direction === 'left') to.left = scrollLeft(el) - by; else if (a.direction === 'right') to.left = scrollLeft(el) + by;
  else to.top = a.direction === 'top' ? 0 : scrollHeight(el);
  scrollTo(el, to);
  return answer(el, was[0] !== scrollLeft(el) || was[1] !== scrollTop(el), vertical);
}

/** The page, or where the page itself does not scroll, the scroller in the middle of the viewport. */
function mainScroller(vertical: boolean): Element {
  const p = page();
  if (vertical ? scrollHeight(p) > innerHeight + 1 : scrollWidth(p) > innerWidth + 1) return p;
  return scrollerOf(hitAt(innerWidth / 2, innerHeight / 2), vertical);
}

function answer(el: Element, moved: boolean, vertical: boolean): ActOps['scroll']['answer'] {
  const atEnd = vertical ? scrollTop(el) + clientHeight(el) >= scrollHeight(el) - 1 : scrollLeft(el) + clientWidth(el) >= scrollWidth(el) - 1;
  return { moved, scrollX: Math.round(scrollLeft(el)), scrollY: Math.round(scrollTop(el)), atEnd, what: el === page() ? 'page' : clean(called(el), 80) };
}

