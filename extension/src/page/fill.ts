/** The script channel: changing values and clicking without trusted input, as near to a person's way as a script can. */
import { blur, clean, focus, has, isHTML, localName, Refusal, scrollIntoView } from './dom';
import { factsOf, isDisabled, isEditable, isFocused, isReadonly, rawValue } from './facts';
import { called, labelFor, nameOf } from './names';
import { aim } from './aim';
import { gesture, over, press } from './press';
import { inputType, roleOf } from './roles';
import { resolve } from './refs';
import { visible } from './visible';
import type { ActOps, Facts } from './ops';

const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set;
const bySetter = new Set(['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range']);

const said = (el: Element): string => (roleOf(el) || localName(el)) + ' "' + nameOf(el) + '"';

/** Refuses what a person could not act upon. */
export function actionable(el: Element): void {
  if (!visible(el) && !labelFor(el)) throw new Refusal('not_actionable', said(el) + ' is not visible', 'scroll or open what hides it, then take a new snapshot');
  if (isDisabled(el)) throw new Refusal('not_actionable', said(el) + ' is disabled', 'do first what enables it');
}

/** Puts text into a control. */
export function fill(a: ActOps['fill']['args']): Facts {
  const el = textTarget(resolve(a.ref));
  actionable(el);
  if (isReadonly(el)) throw new Refusal('not_actionable', said(el) + ' is read-only', 'it cannot be typed into');
  if (el instanceof HTMLSelectElement) return select({ ref: a.ref, values: [a.text] });
  if (el instanceof HTMLInputElement && bySetter.has(el.type)) { viaSetter(el, a.text); return factsOf(el); }
  if (!isHTML(el) || !isEditable(el)) throw new Refusal('not_actionable', said(el) + ' does not take text', 'choose a text field, or use set_checked or a click');
  focus(el);
  if (!isFocused(el)) throw new Refusal('not_actionable', said(el) + ' does not take the focus', 'something in front of it keeps it; look at the page');
  if (a.clear !== false) selectContent(el);
  else caretToEnd(el);
  gesture(() => insert(el, a.text, a.clear !== false));
  return factsOf(el);
}

/** The field itself when a label or wrapper was named. */
function textTarget(el: Element): Element {
  if (el instanceof HTMLLabelElement && el.control) return el.control;
  if (isEditable(el) || el instanceof HTMLSelectElement || el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) return el;
  const inner = Array.from(el.querySelectorAll('input,textarea,select,[contenteditable]')).filter((e) => isEditable(e) && visible(e));
  return inner.length === 1 && inner[0] ? inner[0] : el;
}

function insert(el: HTMLElement, text: string, replace: boolean): void {
  const type = text === '' ? 'deleteContentBackward' : 'insertText';
  if (!el.dispatchEvent(new InputEvent('beforeinput', { bubbles: true, cancelable: true, composed: true, inputType: type, data: text || null }))) return;
  const ok = text === '' ? (replace ? document.execCommand('delete') || rawValue(el) === '' : true) : document.execCommand('insertText', false, text);
  if (ok) return;
  if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) {
    const max = el.maxLength >= 0 ? el.maxLength : Infinity;
    viaSetter(el, (replace ? text : el.value + text).slice(0, max));
  } else throw new Refusal('refused', said(el) + ' did not take the text', 'click it and type with keys');
}

/** The native setter with the two events that frameworks wait for. */
function viaSetter(el: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  if (isHTML(el)) focus(el);
  const set = el instanceof HTMLTextAreaElement ? Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set : setValue;
  set?.call(el, text);
  el.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertReplacementText', data: text }));
  el.dispatchEvent(new Event('change', { bubbles: true }));
  if (el.value !== text && text !== '' && bySetter.has(el.type)) throw new Refusal('invalid_args', said(el) + ' does not take "' + clean(text, 40) + '"', formatOf(el.type));
}

function formatOf(type: string): string {
  const f: Record<string, string> = { date: 'YYYY-MM-DD', time: 'HH:MM', 'datetime-local': 'YYYY-MM-DDTHH:MM', month: 'YYYY-MM', week: 'YYYY-Www', color: '#rrggbb', range: 'a number within min and max' };
  return 'write it as ' + (f[type] ?? 'its type asks');
}

function selectContent(el: HTMLElement): void {
  if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) { el.select(); return; }
  const r = document.createRange();
  r.selectNodeContents(el);
  const s = getSelection();
  s?.removeAllRanges();
  s?.addRange(r);
}
function caretToEnd(el: HTMLElement): void {
  if (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) { try { el.setSelectionRange(el.value.length, el.value.length); } catch { /* a type without a caret */ } return; }
  selectContent(el);
  getSelection()?.collapseToEnd();
}

export function selectAllOf(a: ActOps['selectAll']['args']): Facts {
  const el = textTarget(resolve(a.ref));
  actionable(el);
  if (!isHTML(el)) throw new Refusal('not_actionable', said(el) + ' does not take text', 'choose a text field');
  focus(el);
  selectContent(el);
  return factsOf(el);
}

/** Chooses options by text or value: exact, else the only one that contains it. */
export function select(a: ActOps['select']['args']): Facts {
  const el = resolve(a.ref);
  if (!(el instanceof HTMLSelectElement)) throw new Refusal('not_actionable', said(el) + ' is not a native select', 'click it and choose from the list that opens');
  actionable(el);
  const options = Array.from(el.options), chosen = a.values.map((v) => optionFor(el, options, v));
  if (chosen.length > 1 && !el.multiple) throw new Refusal('invalid_args', said(el) + ' takes one value', 'give one');
  focus(el);
  if (el.multiple) for (const o of options) o.selected = chosen.includes(o);
  else if (chosen[0]) el.selectedIndex = options.indexOf(chosen[0]);
  el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  el.dispatchEvent(new Event('change', { bubbles: true }));
  return factsOf(el);
}

function optionFor(el: Element, options: HTMLOptionElement[], v: string): HTMLOptionElement {
  const want = v.trim(), low = want.toLowerCase(), live = options.filter((o) => !o.disabled);
  const text = (o: HTMLOptionElement): string => o.text.replace(/\s+/g, ' ').trim();
  const exact = live.find((o) => text(o) === want) ?? live.find((o) => o.value === want) ?? live.find((o) => text(o).toLowerCase() === low);
  if (exact) return exact;
  const part = low ? live.filter((o) => text(o).toLowerCase().includes(low)) : [];
  if (part.length === 1 && part[0]) return part[0];
  if (options.some((o) => o.disabled && (text(o) === want || o.value === want))) throw new Refusal('not_actionable', 'the option "' + clean(v, 60) + '" of ' + said(el) + ' is disabled', 'choose another one');
  throw new Refusal(part.length ? 'ambiguous' : 'invalid_args', said(el) + ' has ' + (part.length ? 'several options' : 'no option') + ' like "' + clean(v, 60) + '"', 'use one of: ' + (part.length ? part : live).slice(0, 20).map((o) => clean(text(o), 40)).join(' · '));
}

/** What to press for a control: its visible label when it has no box of its own. */
export function pressable(el: Element): HTMLElement | SVGElement {
  const label = !visible(el) ? labelFor(el) : null;
  if (label) return label;
  if (isHTML(el) || el instanceof SVGElement) return el;
  throw new Refusal('not_actionable', said(el) + ' cannot be clicked', 'choose another element');
}

export function clickOn(a: ActOps['click']['args']): Facts {
  const el = resolve(a.ref);
  actionable(el);
  const on = pressable(el);
  if (a.force !== true) reachable(el, on);
  press(on);
  return factsOf(el);
}

/** The script channel's hover. */
export function hoverOver(a: ActOps['hover']['args']): Facts {
  const el = resolve(a.ref);
  actionable(el);
  over(pressable(el));
  return factsOf(el);
}

/** Refuses a click that a person's pointer would not bring to the element. */
function reachable(el: Element, on: Element): void {
  scrollIntoView(on, { block: 'center', inline: 'center', behavior: 'instant' });
  const met = aim(el, on);
  if (met && !met.covered) return;
  const by = met?.hit ? called(met.hit) : '';
  throw new Refusal('not_actionable', said(el) + ' is covered' + (by ? ' by ' + by : ''), 'close or move what covers it');
}

export const isOn = (el: Element): boolean => el.getAttribute('role') === 'switch' && has(el, 'aria-checked') ? el.getAttribute('aria-checked') === 'true' : el instanceof HTMLInputElement && !has(el, 'role') ? el.checked : el.getAttribute('aria-checked') === 'true' || el.getAttribute('aria-pressed') === 'true' || (el instanceof HTMLInputElement && el.checked);

export function check(a: ActOps['check']['args']): Facts {
  const el = resolve(a.ref), type = inputType(el), role = roleOf(el);
  if (!['checkbox', 'radio'].includes(type) && !/^(checkbox|radio|switch|menuitemcheckbox|menuitemradio|button)$/.test(role)) throw new Refusal('not_actionable', said(el) + ' is not something to check', 'use a checkbox, radio or switch');
  actionable(el);
  if (!a.on && (type === 'radio' || role === 'radio') && isOn(el)) throw new Refusal('not_actionable', 'a radio button is cleared by choosing another one', 'check another one of its group');
  if (isOn(el) === a.on) return factsOf(el);
  const on = pressable(el);
  reachable(el, on);
  press(on);
  return factsOf(el);
}

export function focusOn(a: ActOps['focus']['args']): Facts {
  const el = resolve(a.ref);
  if (isHTML(el)) focus(el);
  return factsOf(el);
}
export function blurOf(a: ActOps['blur']['args']): Record<never, never> {
  const el = a.ref ? resolve(a.ref) : document.activeElement;
  if (isHTML(el)) blur(el);
  return {};
}
