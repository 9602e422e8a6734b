/** Characters that nobody sees, made visible: a person reads past them, a model must not be led by them. */

const unseen = /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\u{e0000}-\u{e0fff}]+/gu;
/** Enough to see what it is. */
const most = 6;

/** Writes zero-width, bidi-control and tag characters as \u{200b}, but where writing or an emoji needs them. */
export function reveal(s: string): string {
  return s.replace(unseen, (run: string, at: number) => {
    if (run === '\u00ad') return '';
    if (run === '\u200d' && emoji(Array.from(s.slice(Math.max(0, at - 2), at)).pop()) && emoji(Array.from(s.slice(at + 1, at + 3))[0])) return run;
    if (/^[\u200c\u200d]$/.test(run) && joins.test(s.charAt(at - 1)) && joins.test(s.charAt(at + 1))) return run;
    const chars = Array.from(run);
    if (s.slice(Math.max(0, at - 2), at) === '\u{1f3f4}' && chars.length <= 8 && run.endsWith('\u{e007f}')) return run; // a flag of a region
    return chars.slice(0, most).map((c) => '\\u{' + (c.codePointAt(0) ?? 0).toString(16) + '}').join('') + (chars.length > most ? '(+' + (chars.length - most) + ')' : '');
  });
}

const emoji = (c: string | undefined): boolean => c !== undefined && (c === '\ufe0f' || /^\p{Emoji}$/u.test(c));

/** Letters of scripts in which joiners change how words are written. */
const joins = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{M}]/u;
