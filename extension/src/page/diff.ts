/** What an action brought into view, by ref, so that nobody has to look at the whole page again. */
import { flatContains, isConnected, isElement } from './dom';
import { overlays } from './overlays';
import type { Baseline } from './settle';
import { isOwn } from './effects';
import { visible } from './visible';
import { linesOf } from './walk';
import type { Line } from './ops';

const maxRoots = 40, maxLines = 24, maxBytes = 1200, capMs = 120;

/**
 * Outline lines of the targets that had no ref when the action began, in what was added, changed or opened since, each
 * under the lines it lies in. Ends with a line that says so where there are more.
 */
export function shown(b: Baseline): string[] {
  const all = roots(b), until = performance.now() + capMs, out: string[] = [], more = '(more: look at the page)';
  let bytes = 0;
  for (const root of all) {
    const left = until - performance.now();
    if (left <= 0) return [...out, more];
    for (const l of fresh(linesOf(root, 200, left), b.maxRef)) {
      if (out.length >= maxLines || bytes + l.length > maxBytes) return [...out, more];
      out.push(l);
      bytes += l.length;
    }
  }
  return out;
}

/** The outermost elements that changed and are seen, what was opened above the page first. */
function roots(b: Baseline): Element[] {
  const above = overlays().map((o) => o.el).filter((el) => !b.overlays.has(el));
  const all = [...above, ...b.log.added.map((n) => (isElement(n) ? n : n.parentElement)), ...b.log.changed];
  const out: Element[] = [];
  for (const el of all) {
    if (out.length >= maxRoots) break;
    if (!el || el === document.body || el === document.documentElement || out.some((o) => flatContains(o, el))) continue;
    if (isConnected(el) && visible(el) && !isOwn(b, el)) out.push(el);
  }
  return out.filter((el) => !out.some((o) => o !== el && flatContains(o, el)));
}

/** The lines with a ref given out later than a number, and those that they lie in. */
function fresh(lines: Line[], after: number): string[] {
  const out: string[] = [], around: Array<{ line: Line; said: boolean }> = [];
  for (const line of lines) {
    while ((around[around.length - 1]?.line.d ?? -1) >= line.d) around.pop();
    around.push({ line, said: false });
    if (!line.ref || Number(/\d+$/.exec(line.ref)?.[0] ?? 0) <= after) continue;
    for (const a of around) {
      if (!a.said) out.push('  '.repeat(a.line.d) + a.line.t);
      a.said = true;
    }
  }
  return out;
}
