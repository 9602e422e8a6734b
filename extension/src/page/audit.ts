/** Names and roles as they are, uncut and for any element: what the public test suites measure. */
import { attr } from './dom';
import { bySelector } from './find';
import { accName } from './names';
import { ariaRole } from './roles';
import type { ReadOps } from './ops';

export function names(a: ReadOps['names']['args']): ReadOps['names']['answer'] {
  const attrs = a.attrs ?? [];
  const present = (el: Element): Record<string, string> => Object.fromEntries(attrs.flatMap((k) => { const v = attr(el, k); return v === null ? [] : [[k, v]]; }));
  return { items: bySelector(a.css, 2000).map((el) => ({ role: ariaRole(el), name: accName(el), attrs: present(el) })) };
}
