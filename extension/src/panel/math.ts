// Formulas, as MathML that the browser sets itself: KaTeX is a bundle of its own, loaded when one is met.
type Katex = { render(tex: string, into: HTMLElement, options: object): void };

let katex: Promise<Katex> | undefined;

// setFormulas replaces what lies in spans of class tex; without the bundle the source stays.
export async function setFormulas(root: HTMLElement): Promise<void> {
  const found = Array.from(root.querySelectorAll<HTMLElement>('span.tex:not([data-set])'));
  if (!found.length) return;
  const file = './katex.js'; // not a literal, so that it is not bundled
  katex ??= (import(file) as Promise<{ default: Katex }>).then((m) => m.default);
  const k = await katex.catch(() => null);
  if (!k) return;
  for (const e of found) {
    const source = e.textContent ?? '';
    e.dataset.set = '';
    try {
      k.render(source, e, { output: 'mathml', displayMode: e.classList.contains('display'), throwOnError: true, trust: false, strict: 'ignore', maxSize: 20, maxExpand: 200 });
    } catch { e.textContent = source; }
  }
}
