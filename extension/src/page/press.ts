/** The script channel's gestures: the events of a person's click, hover and keys, as near as a script can come. */
import { click, focus, isConnected, isHTML, matches, rectOf, scrollIntoView } from './dom';
import { ancestor } from './roles';

let depth = 0;
/** True while this script sends events itself. */
export const pressing = (): boolean => depth > 0;

/** Runs a gesture; its events count as a person's. */
export function gesture(run: () => void): void {
  depth++;
  try { run(); } finally { depth--; }
}

type Shape = HTMLElement | SVGElement;

function at(el: Shape): MouseEventInit & { detail: number } {
  const r = rectOf(el);
  return { bubbles: true, cancelable: true, composed: true, view: window, clientX: r.x + r.width / 2, clientY: r.y + r.height / 2, button: 0, detail: 1 };
}

/** The events of a click at the middle, then the click itself, unless the press took the element away. */
export function press(el: Shape): void {
  scrollIntoView(el, { block: 'center', inline: 'center', behavior: 'instant' });
  gesture(() => {
    const init = at(el), pointer = { ...init, pointerId: 1, isPrimary: true, pointerType: 'mouse' };
    el.dispatchEvent(new PointerEvent('pointerdown', { ...pointer, buttons: 1 }));
    const go = el.dispatchEvent(new MouseEvent('mousedown', { ...init, buttons: 1 }));
    const f = ancestor(el, (e) => isHTML(e) && matches(e, 'button,input,select,textarea,a[href],[tabindex],[contenteditable]'));
    if (go && isHTML(f)) focus(f);
    if (!isConnected(el)) return;
    el.dispatchEvent(new PointerEvent('pointerup', pointer));
    el.dispatchEvent(new MouseEvent('mouseup', init));
    if (!isConnected(el)) return;
    if (isHTML(el)) click(el); else el.dispatchEvent(new MouseEvent('click', init));
  });
}

/** The pointer comes over an element. CSS hover cannot be had by script. */
export function over(el: Shape): void {
  gesture(() => {
    const init = at(el), still = { ...init, bubbles: false, cancelable: false };
    el.dispatchEvent(new PointerEvent('pointerover', { ...init, pointerType: 'mouse' }));
    el.dispatchEvent(new PointerEvent('pointerenter', { ...still, pointerType: 'mouse' }));
    el.dispatchEvent(new MouseEvent('mouseover', init));
    el.dispatchEvent(new MouseEvent('mouseenter', still));
    el.dispatchEvent(new MouseEvent('mousemove', init));
  });
}
