/** How text comes to a person's eyes, passed down from parent to child: faint, small, cut off, on its own colour. */
import { attr, flatParent, isElement, localName, parentNode, rectOf } from './dom';
import { isMasked } from './secret';
import { emptyPath, hides, inLine, inView, replaced } from './visible';
import { blend, colour, contrast, type Rgb } from './colour';
import { covered } from './cover';
import { inkOf, onShape, painted, showsBack, turned, type Turn } from './paint';

export type Why = '' | 'not displayed' | 'transparent' | 'tiny' | 'colour' | 'clipped' | 'off-screen' | 'covered' | 'aria-hidden' | 'invisible' | 'masked' | 'blurred' | 'turned away';
interface Box { left: number; top: number; right: number; bottom: number }

/** What an element's text is subject to. */
export interface Sight {
  /** Why nothing in it is seen, '' if it may be. */
  why: Why;
  opacity: number; scale: number;
  /** The colour behind it and whose it is; null: a picture, or not known. */
  back: Rgb | null; backOf: Element | null;
  /** The colour around what is behind it, and that of its own text. */
  under: Rgb | null; ink: Rgb | null;
  /** How it is turned in space, for what is in the same space. */
  turn: Turn;
  /** What of the viewport it can show through; of what is positioned in it, `outer`. */
  clip: Box | null; outer: Box | null;
  fixed: boolean;
  /** Scrolling does not move it, and what of it lies beyond the viewport is out of reach. */
  pinned: boolean;
  /** Fixed positions are this one's, not the viewport's. */
  holds: boolean;
  /** Where the page ends to the right, in px of the viewport. */
  edge: number;
  /** Its own text, by its own style alone. */
  text: Why;
}

const faint = 0.1, smallest = 3.5, sameRatio = 1.3;

/** The page itself. */
export function daylight(): Sight {
  const style = getComputedStyle(document.documentElement), dark = /dark/.test(style.colorScheme) && (!/light/.test(style.colorScheme) || matchMedia('(prefers-color-scheme: dark)').matches);
  return { why: '', opacity: 1, scale: 1, back: dark ? [18, 18, 18] : [255, 255, 255], backOf: null, under: null, ink: null, turn: null, clip: null, outer: null, fixed: false, pinned: false, holds: false, edge: edge(), text: '' };
}

/** How far to the right a person can come: where the page hides what flows over there, no further than the viewport. */
function edge(): number {
  const of = (el: Element | null): boolean => el !== null && /hidden|clip/.test(getComputedStyle(el).overflowX);
  const wide = of(document.documentElement) || of(document.body) ? innerWidth : Math.max(document.documentElement.scrollWidth, innerWidth);
  return wide + 1 - scrollX;
}

/** The sight of an element's surroundings, for a walk that begins in the middle of a page. */
export function sightAt(el: Element): Sight {
  const chain: Element[] = [];
  for (let e = flatParent(el), i = 0; e && i < 2000; e = flatParent(e), i++) chain.push(e);
  let s = daylight();
  for (const e of chain.reverse()) s = within(s, e, getComputedStyle(e));
  return s;
}

/** The sight of an element, looked up alone. */
export const sightOf = (el: Element): Sight => within(sightAt(el), el, getComputedStyle(el));

/** Is generated content out of a person's sight? */
export function unseenPseudo(up: Sight, style: CSSStyleDeclaration): boolean {
  if (up.text || style.display === 'none' || style.visibility !== 'visible' || painted(style, style.filter)) return true;
  if (style.clipPath !== 'none' && emptyPath(style.clipPath) || parseFloat(style.textIndent) < -300) return true;
  if (Number(style.opacity) * up.opacity < faint || parseFloat(style.fontSize) * up.scale * scaleOf(style.transform, style.scale) * zoomOf(style) < smallest) return true;
  if (style.position === 'absolute' && (parseFloat(style.left) < -500 || parseFloat(style.top) < -500)) return true;
  const c = colour(style.color), b = style.backgroundImage === 'none' ? colour(style.backgroundColor) : null;
  if (!c || !b || !up.back || style.textShadow !== 'none') return false;
  const back = blend(b.rgb, b.a, up.back);
  return c.a * up.opacity < faint || contrast(blend(c.rgb, c.a, back), back) < sameRatio;
}

/** The sight of an element, by its parent's. */
export function within(up: Sight, el: Element, style: CSSStyleDeclaration): Sight {
  const s: Sight = { ...up, text: '' }, position = style.position, words = inLine(el, style.display);
  if (position === 'fixed') { s.clip = null; s.fixed = true; s.pinned = !s.holds; }
  else if (position === 'absolute') s.clip = up.outer;
  else if (position === 'sticky') s.fixed = true;
  s.opacity *= Number(style.opacity);
  s.scale *= zoomOf(style);
  const filter = style.filter;
  if (!s.why) s.why = s.opacity < faint ? 'transparent' : painted(style, filter);
  if (filter !== 'none') s.holds = true;
  if (words) s.turn = null;
  else boxed(s, el, style);
  if (position !== 'static' || !words && style.transform !== 'none') s.outer = s.clip;
  background(s, el, style);
  s.text = s.why || ownText(s, el, style);
  return s;
}

/** What only a box that is not one of a line's words does. */
function boxed(s: Sight, el: Element, style: CSSStyleDeclaration): void {
  const transform = style.transform;
  s.scale *= scaleOf(transform, style.scale);
  s.turn = turned(s.turn, transform);
  if (!s.why && showsBack(s.turn, style)) s.why = 'turned away';
  if (s.turn && style.transformStyle !== 'preserve-3d') s.turn = null;
  if (style.overflow !== 'visible' && localName(el) !== 'html' && localName(el) !== 'body') cut(s, el, style);
  if (transform !== 'none' || style.perspective !== 'none') s.holds = true;
}

function cut(s: Sight, el: Element, style: CSSStyleDeclaration): void {
  const r = rectOf(el), scrolls = /auto|scroll/.test(style.overflowX + style.overflowY), up = s.clip;
  if (r.width === 0 && r.height === 0 && style.display === 'contents') return;
  if (scrolls) { if (!up || meets(r, up)) { s.clip = null; s.pinned &&= !inView(r); s.edge = Infinity; } return; } // what is further down can be scrolled to
  s.clip = up ? { left: Math.max(up.left, r.left), top: Math.max(up.top, r.top), right: Math.min(up.right, r.right), bottom: Math.min(up.bottom, r.bottom) }
    : { left: r.left, top: r.top, right: r.right, bottom: r.bottom };
}

const meets = (r: Box, c: Box): boolean => r.right > c.left && r.left < c.right && r.bottom > c.top && r.top < c.bottom;

function scaleOf(transform: string, scale: string): number {
  let k = 1;
  const m = transform === 'none' ? null : /^matrix(3d)?\((.*)\)$/.exec(transform);
  if (m?.[2]) {
    const v = m[2].split(',').map(Number), n = (i: number): number => v[i] ?? 0;
    k = Math.sqrt(Math.abs(m[1] ? n(0) * n(5) - n(1) * n(4) : n(0) * n(3) - n(1) * n(2)));
  }
  if (scale === 'none') return k;
  const part = scale.split(' ').map(Number);
  return k * Math.sqrt(Math.abs((part[0] ?? 1) * (part[1] ?? part[0] ?? 1)));
}

function zoomOf(style: CSSStyleDeclaration): number {
  const zoom = Number(style.zoom);
  return zoom > 0 ? zoom : 1;
}

function background(s: Sight, el: Element, style: CSSStyleDeclaration): void {
  if (style.backgroundImage !== 'none' || replaced(el) && localName(el) !== 'svg' || localName(el) === 'foreignObject') { s.back = null; s.backOf = el; return; }
  const c = colour(style.backgroundColor);
  if (!c) { s.back = null; s.backOf = el; return; }
  if (c.a > 0.02 && (!(el instanceof SVGElement) || localName(el) === 'svg')) {
    s.under = s.back;
    s.back = s.back && blend(c.rgb, c.a, s.back); s.backOf = el; if (c.a > 0.98) s.back = c.rgb; }
}

function ownText(s: Sight, el: Element, style: CSSStyleDeclaration): Why {
  if (attr(el, 'aria-hidden') === 'true') return 'aria-hidden';
  if (style.visibility !== 'visible') return 'invisible';
  if (isMasked(el, style)) return 'masked';
  if (parseFloat(style.fontSize) * s.scale < smallest) return 'tiny';
  if (style.textShadow !== 'none' || style.backgroundClip === 'text' || style.webkitTextStrokeWidth !== '0px') return '';
  const c = inkOf(el, style);
  if (!c) return '';
  if (c.a * s.opacity < faint) return 'transparent';
  s.ink = c.rgb;
  if (s.back && contrast(blend(c.rgb, c.a, s.back), s.back) < sameRatio && !onShape(el) && !onSomethingElse(el, s.backOf)) return 'colour';
  return '';
}

/** Does something that is laid out apart, such as a picture behind a heading, lie where the text is? */
function onSomethingElse(el: Element, owner: Element | null): boolean {
  const r = rectOf(el), x = r.left + r.width / 2, y = r.top + r.height / 2;
  for (let a: Element | null = el, n = 0; a && a !== owner && n < 40; a = flatParent(a), n++) {
    const p = parentNode(a);
    if (!isElement(p)) continue;
    let seen = 0;
    for (let s = p.firstElementChild; s && seen < 40; s = s.nextElementSibling, seen++) {
      if (s === a) continue;
      const style = getComputedStyle(s);
      if (style.position === 'static' && !replaced(s) || hides(s, style)) continue;
      const b = rectOf(s);
      if (b.left <= x && b.right >= x && b.top <= y && b.bottom >= y && (replaced(s) || style.backgroundImage !== 'none' || (colour(style.backgroundColor)?.a ?? 1) > 0.3 || s.querySelector('img,video,canvas,svg'))) return true;
    }
  }
  return false;
}

/** Does a good part of a text come out of the box that is behind it? */
const juts = (r: Box, b: Box): boolean => r.right > b.right + 12 || r.left < b.left - 12 || r.bottom > b.bottom + 12 || r.top < b.top - 12;

/** Why a piece of text is not seen, by where it lies. */
export function whyText(n: Text, el: Element, s: Sight): Why {
  if (s.text && !(s.text === 'colour' && !s.why && s.ink && s.backOf && (!s.under || contrast(s.ink, s.under) >= sameRatio))) return s.text;
  if (el instanceof HTMLDetailsElement && !el.open) return 'not displayed';
  const range = document.createRange();
  range.selectNodeContents(n);
  const r = range.getBoundingClientRect();
  if (r.width < 1 || r.height < 1) return 'clipped';
  if (r.height < 2.5) return 'tiny';
  if (s.text && s.backOf && !juts(r, rectOf(s.backOf))) return s.text;
  if (r.right + scrollX <= 0 || r.bottom + scrollY <= 0) return 'off-screen';
  if (!s.clip && r.left >= s.edge && s.edge > 0) return 'off-screen';
  if (s.pinned && (r.left >= innerWidth || r.top >= innerHeight || r.right <= 0 || r.bottom <= 0)) return 'off-screen';
  if (s.clip && !meets(r, s.clip)) return 'clipped';
  return inView(r) && covered(el, r, s.fixed) ? 'covered' : '';
}
