// Words in the reader's language. English is the measure: a dictionary that lacks a key does not compile.
import { signal } from '@preact/signals';
import en from './locales/en';
import de from './locales/de';

export type Key = keyof typeof en;
export type Dictionary = Record<Key, string>;

const dictionaries: Record<string, Dictionary> = { en, de };
export const languages = Object.keys(dictionaries);
export const language = signal('en');

// speak chooses the nearest language to the wishes, best first: "de-AT" is served by de.
export function speak(...wishes: string[]): void {
  for (const w of wishes) {
    const l = w.toLowerCase().split('-')[0] ?? '';
    if (!dictionaries[l]) continue;
    language.value = l;
    break;
  }
  document.documentElement.lang = language.value;
}

// t says key, with {name} replaced by what `with` holds. Plain text: it goes into text nodes and labels.
export function t(key: Key, values: Record<string, string | number> = {}): string {
  return fill((dictionaries[language.value] ?? en)[key], values);
}

// fill puts values into a text of any dictionary.
export function fill(said: string, values: Record<string, string | number>): string {
  return said.replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? show(values[name]) : whole));
}

function show(v: string | number | undefined): string {
  return typeof v === 'number' ? v.toLocaleString(language.value) : v ?? '';
}
