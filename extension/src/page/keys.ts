/** The script channel's keys: the events, and what the browser itself would have done. */
import { click, focus, formElements, isConnected, isHTML, Refusal } from './dom';
import { factsOf, formOf, isEditable, isFocused, submits } from './facts';
import { actionable } from './fill';
import { gesture, press } from './press';
import { resolve } from './refs';
import type { ActOps, Facts } from './ops';

const codes: Record<string, string> = { ' ': 'Space' };

/** Sends keys to an element, each once. Enter submits a form at most once, and not where the page forbids it. */
export function keys(a: ActOps['keys']['args']): Facts {
  const el = resolve(a.ref);
  actionable(el);
  if (!isHTML(el)) throw new Refusal('not_actionable', 'it takes no keys', 'choose a control');
  if (!isFocused(el)) focus(el);
  for (const key of a.keys.slice(0, 50)) gesture(() => one(el, key));
  return factsOf(el);
}

function one(el: HTMLElement, key: string): void {
  if (/\+./.test(key)) throw new Refusal('refused', 'chords need trusted input', 'use a click');
  const init = { key, code: codes[key] ?? key, bubbles: true, cancelable: true, composed: true };
  let go = el.dispatchEvent(new KeyboardEvent('keydown', init));
  if (go && (key === 'Enter' || key === ' ' || key.length === 1)) go = el.dispatchEvent(new KeyboardEvent('keypress', init));
  if (go) natural(el, key);
  if (isConnected(el)) el.dispatchEvent(new KeyboardEvent('keyup', init));
}

/** What a browser does for a key that nobody has prevented. */
function natural(el: HTMLElement, key: string): void {
  const button = el instanceof HTMLButtonElement || el instanceof HTMLAnchorElement || (el instanceof HTMLInputElement && /^(checkbox|radio|submit|button|reset|image)$/.test(el.type));
  switch (key) {
    case 'Enter':
      if (el instanceof HTMLTextAreaElement || (isEditable(el) && !(el instanceof HTMLInputElement))) document.execCommand('insertLineBreak');
      else if (el instanceof HTMLInputElement && submits(el) && !button) submit(el);
      else if (button && !(el instanceof HTMLInputElement && /^(checkbox|radio)$/.test(el.type))) press(el);
      break;
    case ' ':
      if (isEditable(el)) document.execCommand('insertText', false, ' ');
      else if (button && !(el instanceof HTMLAnchorElement)) press(el);
      break;
    case 'Backspace': document.execCommand('delete'); break;
    case 'Delete': document.execCommand('forwardDelete'); break;
    default: if (key.length === 1 && isEditable(el)) document.execCommand('insertText', false, key);
  }
}

/** As the browser does it: by its first submit button, or without one by the form itself. */
function submit(el: HTMLInputElement): void {
  const f = formOf(el);
  if (!f) return;
  el.dispatchEvent(new Event('change', { bubbles: true }));
  const b = Array.from(formElements(f)).find((e) => (e instanceof HTMLButtonElement || e instanceof HTMLInputElement) && /^(submit|image)$/.test(e.type));
  if (b instanceof HTMLButtonElement || b instanceof HTMLInputElement) { if (!b.disabled) click(b); } else HTMLFormElement.prototype.requestSubmit.call(f);
}
