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

/** Waits until an element is where it was a frame before, at most a second. */
export async function still(el: Element): Promise<void> {
  const until = performance.now() + 1000;
  for (let was = rectOf(el); performance.now() < until && isConnected(el);) {
    const time = document.timeline.currentTime, drawn = await nextFrame(), now = rectOf(el);
    if (apart(was, now) < 0.5 && (document.hidden || !animated(el, drawn && document.timeline.currentTime !== time))) return;
    was = now;
  }
}

const apart = (a: DOMRect, b: DOMRect): number => Math.abs(b.x - a.x) + Math.abs(b.y - a.y) + Math.abs(b.width - a.width) + Math.abs(b.height - a.height);

/** The next frame, true when it was drawn: a tab in the background draws none, and a busy one draws late. */
const nextFrame = (): Promise<boolean> => new Promise((done) => {
  const timer = setTimeout(() => done(false), 50);
  requestAnimationFrame(() => { clearTimeout(timer); done(true); });
});

/**
 * Is an animation or a transition of an element, or of what it lies in, at a time that shows no motion: before its
 * first frame (Web Animations, pending), or where the timeline has not gone on? A measure taken between two frames may
 * already stand at the time of the next one.
 */
function animated(el: Element, wentOn: boolean): boolean {
  for (let scope = root(el); scope instanceof Document || scope instanceof ShadowRoot; scope = root(scope.host)) {
    for (const a of scope.getAnimations()) {
      const on = a.effect instanceof KeyframeEffect ? a.effect.target : null;
      if ((a.pending || (!wentOn && a.playState === 'running')) && on !== null && flatContains(on, el)) return true;
    }
    if (scope instanceof Document) break;
  }
  return false;
}
