/** Putting files into a file field, as its picker does. */
import { clean, Refusal } from './dom';
import { factsOf, statesOf } from './facts';
import { inputType } from './roles';
import { resolve } from './refs';
import type { ActOps } from './ops';

const maxBytes = 8 << 20;

export function attach(a: ActOps['attach']['args']): ActOps['attach']['answer'] {
  const el = resolve(a.ref);
  if (!(el instanceof HTMLInputElement) || inputType(el) !== 'file') throw new Refusal('not_actionable', 'it is not a file field', 'use the ref of an input of type file; it may be hidden behind a button');
  if (statesOf(el).includes('disabled')) throw new Refusal('not_actionable', 'it is disabled', 'something else has to be filled in or chosen first');
  if (a.files.length > 1 && !el.multiple) throw new Refusal('not_actionable', 'the field takes one file, not ' + a.files.length, 'give one');
  const all = new DataTransfer();
  for (const f of a.files) {
    const bytes = decode(f.base64);
    all.items.add(new File([bytes], clean(f.name, 200).replace(/[\\/]/g, '_') || 'file', { type: f.mime ?? '' }));
  }
  el.files = all.files;
  el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  el.dispatchEvent(new Event('change', { bubbles: true }));
  return factsOf(el);
}

function decode(base64: string): Uint8Array<ArrayBuffer> {
  let text: string;
  try { text = atob(base64); } catch { throw new Refusal('invalid_args', 'the content is not base64', ''); }
  if (text.length > maxBytes) throw new Refusal('invalid_args', 'the file has ' + text.length + ' bytes', 'give at most ' + maxBytes);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
