/** What paints text away: filters, masks, backs of turned boxes, and how SVG draws its letters. */
import { attr, localName, rectOf } from './dom';
import { colour, type Colour } from './colour';

/** Why a style alone paints an element away, '' if it does not. */
export function painted(style: CSSStyleDeclaration, f: string): '' | 'transparent' | 'blurred' | 'colour' {
  if (f !== 'none') {
    const blur = /blur\(([\d.]+)px\)/.exec(f);
    if (/opacity\(0(\.0\d*)?%?\)/.test(f)) return 'transparent';
    if (blur && Number(blur[1]) > 5) return 'blurred';
    // All of one colour; text without ground of its own still stands out from what is around.
    if (/(brightness|contrast)\(0(\.0\d*)?%?\)/.test(f) && (colour(style.backgroundColor)?.a ?? 0) > 0.5) return 'colour';
  }
  const mask = style.maskImage;
  return mask && mask !== 'none' && emptyMask(mask) ? 'transparent' : '';
}

/** A gradient in which every colour is transparent. */
function emptyMask(mask: string): boolean {
  if (mask.includes('url(') || !mask.includes('gradient(')) return false;
  const all = mask.match(/(?:rgba?|oklab|oklch|lab|lch|color)\([^)]*\)|\btransparent\b/g) ?? [];
  return all.length > 0 && all.every((c) => (colour(c)?.a ?? 1) < 0.05);
}

/** How a box is turned in space, with what it is part of; null: not at all. */
export type Turn = DOMMatrix | null;

/** Turns on by an element's own transform. */
export function turned(up: Turn, transform: string): Turn {
  if (transform === 'none') return up;
  const own = new DOMMatrix(transform);
  return up ? up.multiply(own) : own;
}

/** Does a box whose back is not drawn show its back? */
export const showsBack = (t: Turn, style: CSSStyleDeclaration): boolean => t !== null && style.backfaceVisibility === 'hidden' && t.m33 < 0;

/** The colour that letters are filled with; null: a pattern, or not known. */
export function inkOf(el: Element, style: CSSStyleDeclaration): Colour | null {
  if (!(el instanceof SVGElement)) return colour(style.webkitTextFillColor || style.color);
  if (style.stroke !== 'none' && parseFloat(style.strokeWidth) > 0 && Number(style.strokeOpacity) > 0.1) return null;
  if (style.fill === 'none') return { rgb: [0, 0, 0], a: 0 };
  const c = colour(style.fill);
  return c && { rgb: c.rgb, a: c.a * Number(style.fillOpacity) };
}

/** Is a shape or picture drawn where text of an SVG is? */
export function onShape(el: Element): boolean {
  const svg = el instanceof SVGElement ? el.ownerSVGElement : null;
  if (!svg) return false;
  const r = rectOf(el), x = r.left + r.width / 2, y = r.top + r.height / 2;
  let seen = 0;
  for (const s of svg.querySelectorAll('rect,path,circle,ellipse,polygon,image,use,foreignObject')) {
    if (++seen > 300) return true;
    const b = rectOf(s);
    if (b.left <= x && b.right >= x && b.top <= y && b.bottom >= y && (localName(s) === 'image' || localName(s) === 'use' || attr(s, 'fill') !== 'none' && (colour(getComputedStyle(s).fill)?.a ?? 1) > 0.3)) return true;
  }
  return false;
}
