/** What is true of one element: for preconditions, for the guard and for receipts. */
import { attr, clean, closest, flatContains, flatParent, formAction, formElements, formMethod, formTarget, has, idOf, isHTML, localName, matches, rectOf, root } from './dom';
import { called, labelFor, nameOf, targetName, textOf } from './names';
import { fingerprint, knownRef, refOf } from './refs';
import { ancestor, isControl, isEditingHost, isFrame, isListening, roleOf } from './roles';
import { isSecret } from './secret';
import { boxOf, inView, visible } from './visible';
import type { Facts } from './ops';

/** The value in the raw; only for comparing inside of this script. */
export function rawValue(el: Element): string | undefined {
  if (el instanceof HTMLSelectElement) return Array.from(el.selectedOptions, (o) => o.text.trim()).join(', ');
  if (el instanceof HTMLInputElement) {
    if (/^(checkbox|radio|button|submit|reset|image)$/.test(el.type)) return undefined;
    return el.type === 'file' ? Array.from(el.files ?? [], (f) => f.name).join(', ') : el.value;
  }
  if (el instanceof HTMLTextAreaElement) return el.value;
  if (isHTML(el) && isEditingHost(el)) return el.innerText.replace(/\n$/, '');
  const role = roleOf(el);
  if (role === 'slider' || role === 'spinbutton' || role === 'progressbar' || role === 'meter' || role === 'scrollbar') return attr(el, 'aria-valuetext') ?? attr(el, 'aria-valuenow') ?? (el instanceof HTMLProgressElement ? String(el.value) : undefined);
  if (role === 'combobox') return clean(textOf(el), 60);
  return undefined;
}

/** The value as it may be shown, cut at 60. */
export function shownValue(el: Element): string | undefined {
  const v = rawValue(el);
  if (v === undefined) return undefined;
  return isSecret(el) ? (v ? '•••' : '') : clean(v, 60);
}

export function statesOf(el: Element, role = roleOf(el)): string[] {
  const out: string[] = [];
  const aria = (name: string): string | null => attr(el, name);
  const said = attr(el, 'role') === 'switch' ? aria('aria-checked') : null; // what such a switch shows follows its attribute
  const checked = said !== null ? said : el instanceof HTMLInputElement && (el.type === 'checkbox' || el.type === 'radio') ? (el.indeterminate ? 'mixed' : String(el.checked)) : aria('aria-checked');
  if (checked === 'true') out.push('checked'); else if (checked === 'mixed') out.push('mixed');
  if (isDisabled(el)) out.push('disabled');
  const details = localName(el) === 'summary' ? flatParent(el) : null;
  const expanded = details instanceof HTMLDetailsElement ? String(details.open) : aria('aria-expanded');
  if (expanded === 'true') out.push('expanded'); else if (expanded === 'false') out.push('collapsed');
  if (el instanceof HTMLOptionElement ? el.selected : aria('aria-selected') === 'true') out.push('selected');
  if (aria('aria-pressed') === 'true') out.push('pressed');
  if (aria('aria-current') && aria('aria-current') !== 'false') out.push('current');
  if (matches(el, ':required') || aria('aria-required') === 'true') out.push('required');
  if (aria('aria-invalid') === 'true' || (role !== 'form' && matches(el, ':user-invalid'))) out.push('invalid');
  if (isReadonly(el)) out.push('readonly');
  if (isFocused(el)) out.push('focused');
  return out;
}

export const isDisabled = (el: Element): boolean => matches(el, ':disabled') || !!ancestor(el, (e) => attr(e, 'aria-disabled') === 'true' || has(e, 'inert'));
export const isReadonly = (el: Element): boolean => ((el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) && el.readOnly) || attr(el, 'aria-readonly') === 'true';

export function isFocused(el: Element): boolean {
  const r = root(el);
  return (r instanceof Document || r instanceof ShadowRoot) && r.activeElement === el && el !== document.body;
}

const textless = /^(checkbox|radio|button|submit|reset|image|file|range|color|hidden)$/;
/** Takes typed text. */
export function isEditable(el: Element): boolean {
  if (el instanceof HTMLInputElement) return !textless.test(el.type) && !el.readOnly && !el.disabled;
  if (el instanceof HTMLTextAreaElement) return !el.readOnly && !el.disabled;
  return isHTML(el) && el.isContentEditable && attr(el, 'aria-readonly') !== 'true';
}

/** The form a control belongs to, the form= attribute included. */
export function formOf(el: Element): HTMLFormElement | null {
  if (el instanceof HTMLInputElement || el instanceof HTMLButtonElement || el instanceof HTMLSelectElement || el instanceof HTMLTextAreaElement) return el.form;
  const f = closest(el, 'form');
  return f instanceof HTMLFormElement ? f : null;
}

/** What a press at an element comes down to: the button around it, or the one that its label is of. */
function pressed(el: Element): HTMLButtonElement | HTMLInputElement | null {
  const b = closest(el, 'button,input') ?? labelled(el);
  return b instanceof HTMLButtonElement || b instanceof HTMLInputElement ? b : null;
}
const isSubmitter = (e: Element): boolean => (e instanceof HTMLButtonElement && e.type === 'submit') || (e instanceof HTMLInputElement && (e.type === 'submit' || e.type === 'image'));

/** The button that Enter in a field presses, and whether Enter submits at all. */
function byEnter(f: HTMLFormElement): { button?: HTMLButtonElement | HTMLInputElement; works: boolean } {
  let fields = 0;
  for (const e of Array.from(formElements(f)).slice(0, 500)) {
    if ((e instanceof HTMLButtonElement || e instanceof HTMLInputElement) && isSubmitter(e)) return { button: e, works: true };
    if (e instanceof HTMLInputElement && !textless.test(e.type)) fields++;
  }
  return { works: fields <= 1 };
}

/** A click, or for a text field Enter, submits a form. */
export function submits(el: Element): boolean {
  const b = pressed(el), f = b?.form;
  if (!b || !f) return false;
  return isSubmitter(b) || (b instanceof HTMLInputElement && b === el && !textless.test(b.type) && byEnter(f).works);
}

/** Enter submits, though a click does not: in check boxes, selects and the like. */
function enters(el: Element): boolean {
  if (!(el instanceof HTMLSelectElement || (el instanceof HTMLInputElement && textless.test(el.type) && !/^(submit|image|button|reset)$/.test(el.type)))) return false;
  return !!el.form && byEnter(el.form).works;
}

/** What a form holds that makes sending it matter. */
function weighty(f: HTMLFormElement): string[] {
  const out = new Set<string>();
  for (const e of Array.from(formElements(f)).slice(0, 500)) {
    const tokens = ' ' + (attr(e, 'autocomplete') ?? '').toLowerCase() + ' ', called = [attr(e, 'name'), idOf(e)].join(' ').replace(/([a-z])([A-Z])/g, '$1-$2');
    if (!(e instanceof HTMLInputElement) || e.type === 'hidden') continue;
    if (/ cc-(number|csc) /.test(tokens) || /(^|[^a-z])(card-?_?num|cardnumber|ccnum|cc-?_?number|cvv|cvc)/i.test(called)) out.add('card');
    if (/ new-password /.test(tokens)) out.add('new-password');
  }
  return Array.from(out);
}

const overlayRole = (e: Element): boolean => { const r = attr(e, 'role'); return localName(e) === 'dialog' || r === 'dialog' || r === 'alertdialog' || attr(e, 'aria-modal') === 'true'; };
const dialogOf = (el: Element): string => { const d = ancestor(el, overlayRole); return d ? called(d) : ''; };

/** The dialog around an element, else its form, in words. */
export function container(el: Element): string {
  const d = ancestor(flatParent(el), overlayRole) ?? (localName(el) === 'form' ? null : formOf(el));
  return d ? called(d) : '';
}

/** What a click at an inner node is about: the nearest control around it. */
export function targetOf(el: Element): Element {
  return ancestor(el, (e) => isControl(e, roleOf(e)) || isListening(e) || isFrame(e)) ?? labelled(el) ?? el;
}
function labelled(el: Element): Element | null {
  const l = closest(el, 'label');
  return l instanceof HTMLLabelElement ? l.control : null;
}

export function factsOf(el: Element): Facts {
  const role = roleOf(el), { name, derived } = targetName(el, role);
  const secret = isSecret(el), value = shownValue(el), raw = rawValue(el);
  const f: Facts = {
    ref: refOf(el, role, name), role: role || 'clickable', name, tag: localName(el), secret, states: statesOf(el, role), rect: boxOf(el), inView: inView(rectOf(el)),
    visible: visible(el) || labelFor(el) !== null, editable: isEditable(el), submits: submits(el), dialog: dialogOf(el), in: container(el), origin: location.origin, url: location.href, fingerprint: fingerprint(el),
  };
  if (derived) f.derived = true;
  const popup = attr(el, 'aria-haspopup');
  if (popup) f.popup = clean(popup, 12);
  if (value !== undefined) { f.value = value; f.valueLength = secret ? 0 : (raw ?? '').length; }
  const type = el instanceof HTMLInputElement || el instanceof HTMLButtonElement ? el.type : '';
  if (type) f.type = type;
  if (!f.visible) f.states.push('hidden');
  if (isFrame(el)) f.frame = true;
  linkAndForm(el, f);
  if (el instanceof HTMLSelectElement) f.options = Array.from(el.options).slice(0, 50).map((o) => clean(o.text, 60));
  return f;
}

function linkAndForm(el: Element, f: Facts): void {
  const a = closest(el, 'a[href],area[href]');
  if (a instanceof HTMLAnchorElement || a instanceof HTMLAreaElement) { f.href = clean(a.href, 2000); if (a.target) f.target = clean(a.target, 60); }
  else if (a) f.href = clean(attr(a, 'href') ?? attr(a, 'xlink:href'), 2000);
  const form = pressed(el)?.form ?? formOf(el);
  if (!form) return;
  if (enters(el)) f.enters = true;
  const fields = weighty(form);
  const b = pressed(el), own = b && isSubmitter(b) ? b : byEnter(form).button ?? null;
  const action = own && attr(own, 'formaction') !== null ? own.formAction : formAction(form);
  const method = own && attr(own, 'formmethod') !== null ? own.formMethod : formMethod(form);
  f.form = { ref: knownRef(form), action: clean(action, 2000), method: (method || 'get').toLowerCase(), name: nameOf(form) || clean(attr(form, 'name') ?? idOf(form), 60), ...(fields.length ? { fields } : {}) };
  if (f.submits && !f.target && formTarget(form)) f.target = clean(formTarget(form), 60);
}


/** What the widget around a field shows, such as the choice beside the input of a select made of divs. */
export function around(el: Element, other: Element | null): { text: string; holds: boolean } {
  let text = '', at: Element | null = null;
  for (let p = flatParent(el), i = 0; p && i < 5; p = flatParent(p), i++) {
    at = p;
    text = clean(textOf(p, 400), 300);
    if (text || localName(p) === 'form' || localName(p) === 'body') break;
  }
  return { text, holds: at !== null && other !== null && flatContains(at, other) };
}
