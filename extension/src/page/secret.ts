/** Which fields hold what must never be shown: passwords, codes, card numbers. */
import { attr, byId, clean, flatParent, idOf, localName, textContent } from './dom';
import { labelsOf } from './labels';

const secretWords = /(^|[^a-z])(passw|passcode|passphrase|pwd|otp|one-?time|cvv|cvc|csc|card[ -]?num|cardnumber|(security|verification|sms|confirmation)[ -_]?code|ccnum|cc-?number|secret|api-?key|token|ssn|pin-?code|pin$)/i;
const secretTokens = /(^|\s)(current-password|new-password|one-time-code|cc-(number|csc|exp|exp-month|exp-year))(\s|$)/i;
/** What is said about a row of boxes for the digits of a code. */
const codeWords = /(^|[^a-z])(code|pin|otp|passcode|one-?time|2fa|mfa|two-?factor|two-?step|verif\w*|authenticat\w*)([^a-z]|$)/i;
const boxless = /^(checkbox|radio|button|submit|reset|image|file|range|color|date)$/;
const once = new WeakSet<Element>();

/** Never show the value of this one. A password field that was switched to text stays secret. */
export function isSecret(el: Element): boolean {
  if (!(el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement)) return isMasked(el);
  if (once.has(el)) return true;
  if (el instanceof HTMLInputElement && el.type === 'password') { once.add(el); return true; }
  const token = attr(el, 'autocomplete') ?? '';
  // Lists made of divs ask for new-password to keep the browser from filling in.
  if (secretTokens.test(token) && !(token === 'new-password' && attr(el, 'role') === 'combobox')) return true;
  if (el instanceof HTMLInputElement && boxless.test(el.type)) return false;
  if (el instanceof HTMLInputElement && (isCard(el.value) || isCodeBox(el))) return true;
  if (isMasked(el)) { once.add(el); return true; }
  return [attr(el, 'name'), idOf(el), attr(el, 'aria-label'), attr(el, 'placeholder'), ...labelsOf(el).map((l) => clean(textContent(l), 80))].some((v) => v !== null && secretWords.test(v.replace(/([a-z])([A-Z])/g, '$1-$2')));
}

/** Drawn as dots by its style. */
export function isMasked(el: Element, style = getComputedStyle(el)): boolean {
  const how = style.getPropertyValue('-webkit-text-security');
  return how !== '' && how !== 'none';
}

/** A card number by its check digit (ISO/IEC 7812-1). */
function isCard(value: string): boolean {
  const digits = value.replace(/[ -]/g, '');
  if (!/^\d{13,19}$/.test(digits)) return false;
  let sum = 0;
  for (let i = digits.length - 1, twice = false; i >= 0; i--, twice = !twice) { const d = Number(digits[i]) * (twice ? 2 : 1); sum += d > 9 ? d - 9 : d; }
  return sum % 10 === 0;
}

/** One of a row of boxes for the digits of a code: by its keyboard, or by what is said about the row. */
function isCodeBox(el: HTMLInputElement): boolean {
  if (el.maxLength !== 1) return false;
  const row = el.parentElement?.parentElement ?? el.parentElement;
  const like = row?.querySelectorAll('input[maxlength="1"]').length ?? 0;
  if (/numeric|tel|number/.test((attr(el, 'inputmode') ?? '') + el.type) && like >= 4 && like <= 8) return true;
  return saidOfRow(el).some((said) => codeWords.test(said.replace(/([a-z])([A-Z])/g, '$1-$2')));
}

/** What names a row of boxes: its label, legend or a heading before it, up to the group that it is in. */
function saidOfRow(el: Element): string[] {
  const out = [attr(el, 'name') ?? '', idOf(el), attr(el, 'aria-label') ?? ''];
  for (let p = flatParent(el), i = 0; p && i < 6 && !/^(body|form|main)$/.test(localName(p)); p = flatParent(p), i++) {
    const refs = (attr(p, 'aria-labelledby') ?? '').split(/\s+/).slice(0, 4), by = p;
    out.push(attr(p, 'aria-label') ?? '', ...refs.map((id) => saidBy(id ? byId(by, id) : null)));
    const first = p.querySelector(':scope > legend, :scope > h1, :scope > h2, :scope > h3, :scope > h4, :scope > label, :scope > p');
    out.push(saidBy(first));
    if (localName(p) === 'fieldset' || attr(p, 'role') === 'group') break;
  }
  return out;
}

const saidBy = (el: Element | null): string => (el ? clean(textContent(el), 80) : '');
