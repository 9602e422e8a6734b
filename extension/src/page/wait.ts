/** Waiting for an element or a text, by mutations and a slow tick. */
import { Refusal } from './dom';
import { bySelector } from './find';
import { candidate } from './refs';
import { visible } from './visible';
import type { ReadOps } from './ops';

type Args = ReadOps['waitFor']['args'];
type Found = ReadOps['waitFor']['answer'];

export function waitFor(a: Args): Promise<Found> {
  if (!a.selector && !a.text) throw new Refusal('invalid_args', 'nothing to wait for', 'give selector or text');
  const begun = performance.now(), cap = Math.min(a.timeout ?? 10000, 60000);
  const probe = (): Found | null => look(a, Math.round(performance.now() - begun));
  const first = probe();
  if (first) return Promise.resolve(first);
  return new Promise((done) => {
    let dirty = false;
    const watch = new MutationObserver(() => { dirty = true; });
    watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    let ticks = 0;
    const timer = setInterval(() => {
      const over = performance.now() - begun >= cap;
      if (!dirty && !over && ++ticks % 5) return;
      dirty = false;
      const f = probe();
      if (!f && !over) return;
      watch.disconnect();
      clearInterval(timer);
      done(f ?? { found: false, ms: Math.round(performance.now() - begun) });
    }, 50);
  });
}

function look(a: Args, ms: number): Found | null {
  const el = a.selector ? bySelector(a.selector, 50).find(visible) : undefined;
  const hit = a.selector ? el !== undefined && (!a.text || hasText(el, a.text)) : hasText(document.body, a.text ?? '');
  if (a.gone === true ? hit : !hit) return null;
  return { found: true, ms, ...(el && !a.gone ? { candidate: candidate(el) } : {}) };
}

const squeeze = (s: string): string => s.replace(/\s+/g, ' ');
const hasText = (el: Element | null, text: string): boolean => el instanceof HTMLElement && squeeze(el.innerText).includes(squeeze(text).trim());
