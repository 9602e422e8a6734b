/** Labels of controls. A browser answers `labels` by looking through the whole tree, so it is asked once a turn. */
import { root } from './dom';

let index: Map<Node, Map<Element, HTMLLabelElement[]>> | null = null;

/** The labels of a control, in the order of the document. */
export function labelsOf(el: Element): readonly HTMLLabelElement[] {
  if (!index) {
    index = new Map();
    queueMicrotask(() => { index = null; }); // the page may change once this turn is over
  }
  const r = root(el);
  let of = index.get(r);
  if (!of) {
    of = new Map();
    for (const l of within(r)) {
      const c = l.control;
      if (!c) continue;
      const list = of.get(c);
      if (list) list.push(l); else of.set(c, [l]);
    }
    index.set(r, of);
  }
  return of.get(el) ?? [];
}

function within(r: Node): HTMLLabelElement[] {
  if (!(r instanceof Document || r instanceof DocumentFragment || r instanceof Element)) return [];
  return Array.from(r.querySelectorAll('label'));
}
