// The settings page's own words; the panel does not carry them.
import { fill, language } from '../shared/i18n';
import de from './locales/de';
import en from './locales/en';

export type Key = keyof typeof en;
export type Dictionary = Record<Key, string>;

const dictionaries: Record<string, Dictionary> = { en, de };

// t says key in the reader's language, with {name} replaced by what `with` holds.
export function t(key: Key, values: Record<string, string | number> = {}): string {
  return fill((dictionaries[language.value] ?? en)[key], values);
}
