/** What of a gesture arrived where: a click that was sent is not yet a click that its target got. */
import { contains, flatContains, isElement, root } from './dom';
import { pressing } from './press';

interface Gesture { kind: string; at: number; path: EventTarget[] }

const kinds = ['pointerover', 'pointerdown', 'mousedown', 'click', 'keydown', 'beforeinput', 'input', 'change', 'drop'];
const seen: Gesture[] = [];
const printed: number[] = [];
let started = false;

/** Listens at the window, before the page's own listeners; events that the page made itself do not count. */
export function start(): void {
  if (started) return;
  started = true;
  for (const kind of kinds) addEventListener(kind, note, { capture: true, passive: true });
  addEventListener('beforeprint', () => { printed.push(performance.now()); if (printed.length > 8) printed.shift(); });
}

function note(e: Event): void {
  if (!e.isTrusted && !pressing()) return;
  seen.push({ kind: e.type, at: performance.now(), path: e.composedPath() });
  if (seen.length > 100) seen.shift();
}

/** When the last gesture since a time arrived, 0 if none did. */
export function lastGesture(since: number): number {
  const g = seen[seen.length - 1];
  return g && g.at >= since ? g.at : 0;
}

/** When the first one arrived since a time, 0 if none did. */
export const firstGesture = (since: number): number => seen.find((g) => g.at >= since)?.at ?? 0;

/** Has the page asked to print since a time? */
export const printedSince = (since: number): boolean => printed.some((t) => t >= since);

/** How far a click at an element came: clicked, pressed only, at something else, or nothing was seen of it. */
export type Delivery = 'clicked' | 'pressed' | 'elsewhere' | '';

/** Judges the pointer events since a time; `at` is what a stray one met. */
export function deliveryTo(el: Element, since: number): { how: Delivery; at?: Element } {
  let pressed = false, stray: Element | undefined;
  for (const g of seen) {
    if (g.at < since || !/^(pointerdown|mousedown|click)$/.test(g.kind)) continue;
    const met = meets(el, g.path);
    if (met && g.kind === 'click') return { how: 'clicked' };
    if (met) pressed = true;
    else if (isElement(g.path[0] as Node)) stray = g.path[0] as Element;
  }
  if (pressed) return { how: 'pressed' };
  return stray ? { how: 'elsewhere', at: stray } : { how: '' };
}

/** Did an event on this path meet the element, its label, or the host that hides it? */
function meets(el: Element, path: EventTarget[]): boolean {
  if (path.includes(el)) return true;
  const first = path[0];
  if (!(first instanceof Element)) return false;
  if (flatContains(first, el) && root(first) !== root(el)) return true; // a closed root shows its host only
  return path.some((n) => n instanceof HTMLLabelElement && (n.control === el || contains(n, el)));
}
