/** Where to press an element, once it has stopped moving. */
import { flatContains, isConnected, rectOf, root } from './dom';
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

/**
 * Waits until an element is where it was a frame before, at most a second. Where an animation may move it, both
 * measures are taken in frames: one taken between two frames can stand at the time of the next one already.
 */
export async function still(el: Element): Promise<void> {
  const until = performance.now() + 1000;
  let was = rectOf(el), at: number | null = null;
  while (performance.now() < until && isConnected(el)) {
    const frame = await nextFrame(), now = rectOf(el);
    const apart = Math.abs(now.x - was.x) + Math.abs(now.y - was.y) + Math.abs(now.width - was.width) + Math.abs(now.height - was.height);
    const sure = document.hidden || !animated(el) || at !== null && frame !== null && frame > at && !starting(el);
    if (apart < 0.5 && sure) return;
    was = now;
    at = frame;
  }
}

/** The time of the next frame; null if none is drawn soon: a tab in the background draws none, and a busy one draws late. */
const nextFrame = (): Promise<number | null> => new Promise((done) => {
  const timer = setTimeout(() => done(null), 50);
  requestAnimationFrame((time) => { clearTimeout(timer); done(time); });
});

const animated = (el: Element): boolean => animations(el, (a) => a.pending || a.playState === 'running');
/** An animation that waits for its first frame shows no motion (Web Animations, pending). */
const starting = (el: Element): boolean => animations(el, (a) => a.pending);

/** Is there such an animation or transition of an element, or of what it lies in? */
function animations(el: Element, such: (a: Animation) => boolean): boolean {
  for (let scope = root(el); scope instanceof Document || scope instanceof ShadowRoot; scope = root(scope.host)) {
    for (const a of scope.getAnimations()) {
      const on = a.effect instanceof KeyframeEffect ? a.effect.target : null;
      if (such(a) && on !== null && flatContains(on, el)) return true;
    }
    if (scope instanceof Document) break;
  }
  return false;
}
