/** Dialogs, menus and other layers above the page, the topmost first. */
import { attr, compare, flatContains, localName, matches, selectAll } from './dom';
import { nameOf, called } from './names';
import { refOf } from './refs';
import { ancestor, roleOf } from './roles';
import { visible } from './visible';
import type { Overlay } from './ops';

export interface Top { el: Element; info: Overlay }

const css = 'dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true],[popover],[role=menu],[role=listbox],.modal.show,.modal.in';

/** The open overlays; nested ones are part of the outer one unless they are dialogs themselves. */
export function overlays(): Top[] {
  const list = selectAll(css, 400, performance.now() + 200).filter(isOpen).slice(0, 20);
  const outer = list.filter((el) => !list.some((o) => o !== el && flatContains(o, el)));
  const rank = (el: Element): number => (matches(el, ':modal') ? 2e9 : matches(el, ':popover-open') ? 1.5e9 : zIndex(el));
  outer.sort((a, b) => rank(b) - rank(a) || (compare(a, b) & 4 ? 1 : -1));
  return outer.map((el) => {
    const role = roleOf(el) || 'dialog', name = nameOf(el, role) || /"(.*)"$/.exec(called(el))?.[1] || '';
    return { el, info: { ref: refOf(el, role, name), role, name, modal: isModal(el) } };
  });
}

function isOpen(el: Element): boolean {
  const role = attr(el, 'role');
  if (attr(el, 'popover') !== null && localName(el) !== 'dialog' && role === null && !matches(el, ':popover-open')) return false;
  if ((role === 'menu' || role === 'listbox') && !floats(el)) return false;
  return visible(el);
}
const floats = (el: Element): boolean => ancestor(el, (e) => { const p = getComputedStyle(e).position; return p === 'fixed' || p === 'absolute'; }) !== null;

function isModal(el: Element): boolean {
  return matches(el, ':modal') || attr(el, 'aria-modal') === 'true' || matches(el, '.modal.show,.modal.in') || el.querySelector('[aria-modal=true]') !== null;
}

function zIndex(el: Element): number {
  let z = 0;
  ancestor(el, (e) => { const v = Number(getComputedStyle(e).zIndex); if (v) z = v; return false; });
  return z;
}

/** What a person can act in: the topmost modal, or null for the whole page. */
export const topModal = (): Top | null => overlays().find((o) => o.info.modal) ?? null;

/** Open dialogs by their names. */
export const dialogs = (tops = overlays()): Map<string, Element> => new Map(tops.filter((o) => /dialog/.test(o.info.role) || o.info.modal).slice(0, 5).map((o) => [called(o.el), o.el] as const));
/** Names of open dialogs. */
export const dialogNames = (): string[] => Array.from(dialogs().keys());
