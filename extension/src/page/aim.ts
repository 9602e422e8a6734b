/** Where to press an element, once it has stopped moving. */
import { isConnected, rectOf } from './dom';
import { hitAt, reaches } from './visible';

/** A point of an element in the frame's viewport, and what lies there. */
export interface Aim { x: number; y: number; hit: Element | null; covered: boolean }

/** The first point of `on` where a press reaches el; where none does, the last one tried. null: it has no box. */
export function aim(el: Element, on: Element): Aim | null {
  let best: Aim | null = null;
  for (const p of points(on)) {
    const hit = hitAt(p.x, p.y);
    if (reaches(el, hit) || (on !== el && reaches(on, hit))) return { ...p, hit, covered: false };
    best ??= { ...p, hit, covered: true };
  }
  return best;
}

/** The middle first, then where an inline or partly covered box may still be met. */
function points(el: Element): Array<{ x: number; y: number }> {
  const out: Array<{ x: number; y: number }> = [];
  for (const r of Array.from(el.getClientRects()).slice(0, 4)) {
    if (r.width < 1 || r.height < 1) continue;
    const l = Math.max(r.left, 0), t = Math.max(r.top, 0), w = Math.min(r.right, innerWidth) - l, h = Math.min(r.bottom, innerHeight) - t;
    if (w <= 0 || h <= 0) continue;
    for (const [fx, fy] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.8]]) out.push({ x: l + w * (fx ?? 0.5), y: t + h * (fy ?? 0.5) });
  }
  return out;
}

/** Waits until an element is where it was a frame before, at most a second. */
export async function still(el: Element): Promise<void> {
  const until = performance.now() + 1000;
  for (let was = rectOf(el); performance.now() < until && isConnected(el);) {
    await nextFrame();
    const now = rectOf(el);
    if (Math.abs(now.x - was.x) + Math.abs(now.y - was.y) + Math.abs(now.width - was.width) + Math.abs(now.height - was.height) < 0.5) return;
    was = now;
  }
}

/** The next frame; a tab in the background draws none. */
const nextFrame = (): Promise<void> => new Promise((done) => {
  const timer = setTimeout(done, 50);
  requestAnimationFrame(() => { clearTimeout(timer); done(); });
});
