/** What the page is up to: messages, errors, half-filled forms. */
import { attr, clean, formElements, isHTML, selectAll } from './dom';
import { isSecret } from './secret';
import { called, targetName, textOf } from './names';
import { dialogNames } from './overlays';
import { maxRef, refOf } from './refs';
import { visible } from './visible';
import type { ReadOps } from './ops';

const toastCSS = '[role=status],[role=log],[aria-live=polite],.toast,.toastify,.snackbar,.notification,.flash,.notice,.alert-success,.ant-message-notice,.el-message,.Toastify__toast';
const errorCSS = '[role=alert],[aria-live=assertive],.error,.error-message,.field-error,.form-error,.invalid-feedback,.errorlist,.alert-danger,.alert-error,.help-block.error,.ant-form-item-explain-error,.el-form-item__error';

function texts(css: string, max: number): Map<string, Element> {
  const out = new Map<string, Element>();
  for (const el of selectAll(css, 60, performance.now() + 60)) {
    if (out.size >= max || !visible(el)) continue;
    const t = clean(textOf(el, 400), 160);
    if (t && !out.has(t)) out.set(t, el);
  }
  return out;
}
/** Messages that are shown, and where. */
export const toasts = (): Map<string, Element> => texts(toastCSS, 6);

/** Alerts, and what the browser or the page says against a field's value. */
export function errors(): Map<string, Element> {
  const out = texts(errorCSS, 6);
  for (const el of selectAll('[aria-invalid=true],:user-invalid', 20, performance.now() + 40)) {
    if (out.size >= 8 || !visible(el) || el instanceof HTMLFormElement || el instanceof HTMLFieldSetElement) continue;
    const by = attr(el, 'aria-errormessage') ?? attr(el, 'aria-describedby');
    const why = (by ? by.split(/\s+/).map((id) => { const d = document.getElementById(id); return d && visible(d) ? clean(textOf(d, 200), 100) : ''; }).join(' ').trim() : '') || nativeWhy(el);
    out.set(targetName(el).name + ': ' + (why || 'invalid'), el);
  }
  return out;
}
const nativeWhy = (el: Element): string => (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement ? clean(el.validationMessage, 100) : '');

/** Forms with values that a person typed and did not send. */
export function dirtyForms(): ReadOps['state']['answer']['forms'] {
  const out: ReadOps['state']['answer']['forms'] = [];
  for (const f of Array.from(document.forms).slice(0, 30)) {
    if (!(f instanceof HTMLFormElement)) continue;
    const dirty = Array.from(formElements(f)).slice(0, 300).filter(isDirty).map((e) => targetName(e).name || clean(attr(e, 'name'), 40)).filter(Boolean);
    if (dirty.length) out.push({ ref: refOf(f), name: called(f), dirty: dirty.slice(0, 20) });
  }
  return out;
}

function isDirty(e: Element): boolean {
  if (!isHTML(e) || (e instanceof HTMLInputElement && e.type === 'hidden') || !visible(e)) return false;
  if (e instanceof HTMLInputElement) return e.type === 'checkbox' || e.type === 'radio' ? e.checked !== e.defaultChecked : !/^(button|submit|reset|image)$/.test(e.type) && e.value !== e.defaultValue && e.value !== '' && (e.type !== 'range' && e.type !== 'color' || e.defaultValue !== '');
  if (e instanceof HTMLTextAreaElement) return e.value !== e.defaultValue && e.value !== '';
  if (e instanceof HTMLSelectElement) return Array.from(e.options).some((o) => o.selected !== o.defaultSelected && Array.from(e.options).some((x) => x.defaultSelected)) || (!Array.from(e.options).some((x) => x.defaultSelected) && e.selectedIndex > 0 && !e.multiple);
  return false;
}

export function state(): ReadOps['state']['answer'] {
  const f = document.activeElement;
  const focused = isHTML(f) && f !== document.body ? refOf(f) + ' ' + called(f) + (isSecret(f) ? ' (secret)' : '') : undefined;
  return {
    url: location.href, title: clean(document.title, 200), readyState: document.readyState, dialogs: dialogNames(), toasts: Array.from(toasts().keys()), errors: Array.from(errors().keys()), forms: dirtyForms(),
    ...(focused ? { focused } : {}), maxRef: maxRef(), elements: document.getElementsByTagName('*').length, visible: document.visibilityState === 'visible',
  };
}
