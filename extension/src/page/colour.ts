/** Computed colours, in any notation, as sRGB; and how well one can be read on another. */

/** Red, green and blue, 0 to 255. */
export type Rgb = readonly [number, number, number];
export interface Colour { rgb: Rgb; a: number }
type Three = [number, number, number];

const known = new Map<string, Colour | null>();

/** A computed colour; null for notations that are not known. */
export function colour(c: string): Colour | null {
  if (c === 'transparent') return { rgb: [0, 0, 0], a: 0 };
  const m = /^rgba?\(\s*([\d.]+)[, ]+([\d.]+)[, ]+([\d.]+)(?:\s*[,/]\s*([\d.]+)(%?))?\s*\)$/.exec(c);
  if (m) return { rgb: [Number(m[1]), Number(m[2]), Number(m[3])], a: m[4] === undefined ? 1 : Number(m[4]) / (m[5] ? 100 : 1) };
  let got = known.get(c);
  if (got === undefined) {
    if (known.size > 500) known.clear();
    known.set(c, got = wide(c));
  }
  return got;
}

/** Notations of CSS Color 4 beyond rgb(). */
function wide(c: string): Colour | null {
  const m = /^(oklab|oklch|lab|lch|color)\(\s*(?:([a-z][\w-]*)\s+)?([^/()]+?)(?:\s*\/\s*(\S+?))?\s*\)$/.exec(c);
  if (!m?.[1] || !m[3]) return null;
  const parts = m[3].split(/\s+/), kind = m[1];
  if (parts.length !== 3) return null;
  const full: Three = kind === 'oklab' ? [1, 0.4, 0.4] : kind === 'oklch' ? [1, 0.4, 360] : kind === 'lab' ? [100, 125, 125] : kind === 'lch' ? [100, 150, 360] : [1, 1, 1];
  const v = parts.map((p, i) => part(p, full[i] ?? 1)) as Three, a = m[4] === undefined ? 1 : part(m[4], 1);
  const lin = linear(kind, m[2] ?? '', v);
  return lin && [...lin, a].every(Number.isFinite) ? { rgb: [gamma(lin[0]), gamma(lin[1]), gamma(lin[2])], a } : null;
}

const part = (p: string, full: number): number => (p === 'none' ? 0 : p.endsWith('%') ? parseFloat(p) / 100 * full : parseFloat(p));

function linear(kind: string, space: string, v: Three): Three | null {
  switch (kind) {
    case 'oklab': return fromOklab(v);
    case 'oklch': return fromOklab(polar(v));
    case 'lab': return fromLab(v);
    case 'lch': return fromLab(polar(v));
  }
  switch (space) {
    case 'srgb': case 'display-p3': case 'a98-rgb': case 'prophoto-rgb': case 'rec2020': { const l = v.map(degamma) as Three; return space === 'srgb' ? l : space === 'display-p3' ? times(p3, l) : l; }
    case 'srgb-linear': return v;
    case 'xyz': case 'xyz-d65': return times(xyz, v);
    case 'xyz-d50': return times(xyz, times(toD65, v));
  }
  return null;
}

const polar = ([l, c, h]: Three): Three => [l, c * Math.cos(h * Math.PI / 180), c * Math.sin(h * Math.PI / 180)];
const times = (m: readonly number[], v: Three): Three => [0, 3, 6].map((i) => (m[i] ?? 0) * v[0] + (m[i + 1] ?? 0) * v[1] + (m[i + 2] ?? 0) * v[2]) as Three;
const p3 = [1.2249, -0.2247, 0, -0.042, 1.0419, 0, -0.0197, -0.0786, 1.0979];
const xyz = [3.2406, -1.5372, -0.4986, -0.9689, 1.8758, 0.0415, 0.0557, -0.204, 1.057];
const toD65 = [0.9555766, -0.0230393, 0.0631636, -0.0282895, 1.0099416, 0.0210077, 0.0122982, -0.020483, 1.3299098];

function fromOklab([l, a, b]: Three): Three {
  const x = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3, y = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3, z = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z, -1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z, -0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z];
}

function fromLab([l, a, b]: Three): Three {
  const y = (l + 16) / 116, f = (t: number): number => (t > 6 / 29 ? t ** 3 : 3 * (6 / 29) ** 2 * (t - 4 / 29));
  return times(xyz, times(toD65, [0.96422 * f(y + a / 500), f(y), 0.82521 * f(y - b / 200)]));
}

const gamma = (v: number): number => { const u = Math.min(1, Math.max(0, v)); return 255 * (u <= 0.0031308 ? 12.92 * u : 1.055 * u ** (1 / 2.4) - 0.055); };
const degamma = (u: number): number => (u <= 0.04045 ? u / 12.92 : ((u + 0.055) / 1.055) ** 2.4);

export const blend = (c: Rgb, a: number, on: Rgb): Rgb => [c[0] * a + on[0] * (1 - a), c[1] * a + on[1] * (1 - a), c[2] * a + on[2] * (1 - a)];

/** Contrast ratio by WCAG 2.2, 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const x = luminance(a), y = luminance(b);
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}
const luminance = (c: Rgb): number => 0.2126 * degamma(c[0] / 255) + 0.7152 * degamma(c[1] / 255) + 0.0722 * degamma(c[2] / 255);
