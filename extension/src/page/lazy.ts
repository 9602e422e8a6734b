/** What need not be walked for a first look: what is out of view, and the middle of long rows of the like. */
import { attr, flatParent, isElement, localName, rectOf } from './dom';
import { hitAt, inView } from './visible';

/** Elements that a person has before their eyes wherever they stand in the document, such as fixed bars. */
export function facing(): Set<Element> {
  const out = new Set<Element>(), nx = 8, ny = 6;
  for (let i = 0; i < nx; i++) for (let j = 0; j < ny; j++) {
    for (let e = hitAt((i + 0.5) * innerWidth / nx, (j + 0.5) * innerHeight / ny), n = 0; e && !out.has(e) && n < 5000; e = flatParent(e), n++) out.add(e);
  }
  return out;
}

/** Is all that the element draws out of view, as far as its own box can tell? */
export function beyond(el: Element, eyes: Set<Element>): boolean {
  if (eyes.has(el)) return false;
  const r = rectOf(el);
  return r.width > 0 && r.height > 0 && !inView(r);
}

/** Stands for the middle of a long row of like elements. */
export interface Fold { folded: number; what: string }
export const isFold = (n: Node | Fold): n is Fold => 'folded' in n;

const longRun = 40, headRun = 12, tailRun = 2, seenRun = 60;
const rowTags = new Set(['li', 'tr', 'dt', 'dd', 'article', 'option']);

/** What makes neighbours alike, '' for what is never folded. Terms and their definitions go together. */
function kind(el: Element): string {
  const tag = localName(el);
  if (tag === 'dt' || tag === 'dd') return 'term';
  if (rowTags.has(tag)) return tag;
  const role = attr(el, 'role') ?? '';
  if (/^(row|listitem|option|treeitem|article|gridcell|menuitem)$/.test(role)) return role;
  return tag === 'div' || tag === 'a' ? tag + '.' + (attr(el, 'class') ?? '').slice(0, 80) : '';
}

/** Replaces the middle of long runs by folds; the first, the last and those in view stay. */
export function foldRuns(kids: Node[]): Array<Node | Fold> {
  if (kids.length < longRun) return kids;
  const out: Array<Node | Fold> = [];
  let run: Element[] = [], of = '';
  const end = (): void => { out.push(...(run.length >= longRun ? shorten(run, of) : run)); run = []; of = ''; };
  for (const n of kids) {
    if (!isElement(n)) { if (run.length && n instanceof Text && n.data.trim()) end(); if (!run.length) out.push(n); continue; }
    const k = kind(n);
    if (k !== of || !k) end();
    if (!k) { out.push(n); continue; }
    of = k;
    run.push(n);
  }
  end();
  return out;
}

function shorten(run: Element[], of: string): Array<Node | Fold> {
  const out: Array<Node | Fold> = [];
  let skipped = 0, seen = 0;
  run.forEach((el, i) => {
    const stays = i < headRun || i >= run.length - tailRun || (seen < seenRun && inView(rectOf(el)));
    if (!stays) { skipped++; return; }
    if (i >= headRun) seen++;
    if (skipped) out.push({ folded: skipped, what: of.split('.')[0] ?? of });
    skipped = 0;
    out.push(el);
  });
  return out;
}

