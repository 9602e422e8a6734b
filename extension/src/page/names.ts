/** What an element is called: accname 1.2, bounded in depth and length. */
import { attr, byId, clean, flatChildren, has, isElement, isHTML, localName, rectOf, textContent } from './dom';
import { isSecret } from './secret';
import { labelsOf } from './labels';
import { sightOf, unseenPseudo, whyText, within, type Sight } from './sight';
import { hides, visible } from './visible';
import { listens } from './hints';
import { inputType, isControl, isEditingHost, isSVG, roleOf } from './roles';

const fromContent = new Set(('button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row rowheader switch tab tooltip treeitem ' +
  'caption term').split(' '));
/** Roles whose first heading names them where nothing else does (ARIA pull 1860). */
const fromHeading = new Set(['dialog', 'alertdialog', 'article']);
const maxDepth = 40, maxText = 2000;

interface Walk {
  seen: Set<Element>; byRef: boolean; depth: number; left: number;
  /** Inside of something hidden that was referenced: all of it counts. */
  hidden?: boolean;
  /** How the element's text is seen; then what nobody sees is left out. */
  sight?: Sight;
  /** What was left out though it names things to a screen reader. */
  spoken?: string;
  /** Part of the name was taken from elsewhere, where nobody sees it. */
  unshown?: boolean;
}

/** The accessible name by the specifications, one line; '' if there is none. What nobody sees may be in it. */
export function accName(el: Element, role = roleOf(el)): string {
  return clean(compute(el, role, { seen: new Set(), byRef: false, depth: 0, left: maxText }, true));
}

/** Text for screen readers of at most this many characters may name what shows no text, or add to what does. */
const longestSpoken = 80, longestAside = 60, longestReferred = 100;

/**
 * What a person would call it: the accessible name without what they cannot see. A label that has nothing to do
 * with the text that is shown gives way to it (WCAG 2.2, 2.5.3: label in name).
 */
export function nameOf(el: Element, role = roleOf(el), sight = sightOf(el)): string {
  const w: Walk = { seen: new Set(), byRef: false, depth: 0, left: maxText, sight };
  const name = clean(compute(el, role, w, true));
  if (!name) { const spoken = clean(w.spoken); return spoken.length <= longestSpoken ? spoken : ''; }
  if (!fromContent.has(role) || !w.unshown && !attr(el, 'aria-label')?.trim()) return name;
  const shown = clean(content(el, { seen: new Set(), byRef: false, depth: 0, left: maxText, sight }));
  return wordish.test(shown) && !agrees(name, shown) ? shown : name;
}

const wordish = /[\p{L}\p{N}]{2}/u;
const wordsOf = (s: string): string[] => s.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function agrees(label: string, shown: string): boolean {
  if (label.length > shown.length + longestSpoken) return false;
  const have = new Set(wordsOf(label));
  return wordsOf(shown).some((x) => have.has(x)) || label.toLowerCase().includes(shown.toLowerCase());
}

/** Longer than this, an image's text says more than a caption would. */
const longestAlt = 100;

/** What an image shows, in its words; of one that nobody sees, or an essay, nothing. */
export function imageName(el: Element, role: string, sight: Sight): string {
  const r = rectOf(el), name = nameOf(el, role, sight);
  return (r.width <= 2 && r.height <= 2) || sight.text || name.length > longestAlt ? '' : name;
}

/** The name of a target, and whether it was made from something that is not a name. */
export function targetName(el: Element, role = roleOf(el), sight = sightOf(el)): { name: string; derived: boolean } {
  const name = nameOf(el, role, sight);
  return name ? { name, derived: false } : { name: derivedName(el), derived: true };
}

/** A name for a target that has none: content, test ids, classes of an icon. What a field holds is no name. */
function derivedName(el: Element): string {
  const text = holdsValue(el) ? '' : clean(textOf(el), 60);
  if (text) { const { at, of } = placeIn(el); return of > 1 && twin(el) ? text + ' ' + at + ' of ' + of : text; }
  for (const a of ['data-tooltip', 'data-title', 'data-label', 'data-name', 'name', 'data-testid', 'data-test', 'data-action', 'id']) {
    const v = clean(attr(el, a), 60);
    if (v) return words(v);
  }
  const made = iconName(el) || words(clean(attr(el, 'class'), 40)), near = made ? '' : beside(el);
  if (near) return near;
  const { at, of } = placeIn(el);
  if (!made) return (roleOf(el) || localName(el)) + ' ' + at;
  return of > 1 ? made + ' ' + at + ' of ' + of : made;
}

/** The text next to a target that shows none. */
function beside(el: Element): string {
  for (const n of [el.previousElementSibling, el.nextElementSibling]) {
    const t = n && !isControl(n, roleOf(n)) && !listens(n) && visible(n) ? clean(textOf(n, 80), 40) : '';
    if (t) return 'by ' + t;
  }
  return '';
}

/** Does a neighbour show the same? */
function twin(el: Element): boolean {
  const t = textContent(el), p = el.parentElement;
  let n = 0;
  for (let c = p?.firstElementChild ?? null; c && n < 60; c = c.nextElementSibling, n++) if (c !== el && textContent(c) === t) return true;
  return false;
}

/** Which of its like it is, among its neighbours. */
function placeIn(el: Element): { at: number; of: number } {
  const like = (e: Element): boolean => localName(e) === localName(el) && attr(e, 'class')?.split(' ')[0] === attr(el, 'class')?.split(' ')[0];
  let at = 1, of = 1;
  for (let s = el.previousElementSibling, i = 0; s && i < 400; s = s.previousElementSibling, i++) if (like(s)) { at++; of++; }
  for (let s = el.nextElementSibling, i = 0; s && i < 400; s = s.nextElementSibling, i++) if (like(s)) of++;
  return { at, of };
}

const holdsValue = (el: Element): boolean => el instanceof HTMLTextAreaElement || el instanceof HTMLSelectElement || (isHTML(el) && isEditingHost(el));

function iconName(el: Element): string {
  for (const c of [el, ...flatChildren(el).filter(isElement)]) {
    const use = attr(c, 'href') ?? attr(c, 'xlink:href');
    if (use && isSVG(c)) return words(use.replace(/^.*#/, ''));
    const m = /(?:^|[\s_-])(?:icon|fa|bi|glyphicon|mdi)[-_]([a-z][\w-]*)/i.exec(attr(c, 'class') ?? '');
    if (m?.[1]) return words(m[1]);
  }
  return '';
}
const words = (s: string): string => s.replace(/[-_]+/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2').trim().toLowerCase().slice(0, 60);

/** The text of a subtree with block spacing, hidden parts left out. */
export function textOf(el: Element, max = maxText): string {
  return content(el, { seen: new Set(), byRef: false, depth: 0, left: max, sight: sightOf(el) });
}

/** Does something in an element of its own; where sight counts, with the element's. */
function inside<T>(el: Element, w: Walk, style: CSSStyleDeclaration, run: () => T): T {
  const up = w.sight;
  if (!up) return run();
  w.sight = within(up, el, style);
  const why = hides(el, style);
  if (why && !w.sight.text) w.sight.text = why === 'transparent' ? why : 'clipped';
  if (up.text && !w.sight.text) w.sight.text = up.text;
  try { return run(); } finally { w.sight = up; }
}

/** Is a piece of text left out? What is cut off for screen readers stays where it is short. */
function unseen(n: Text, el: Element, w: Walk): boolean {
  if (!w.sight || !n.data.trim()) return false;
  const why = whyText(n, el, w.sight);
  if (!why || (why === 'clipped' && n.data.trim().length <= longestAside)) return false;
  if (why === 'clipped' || why === 'off-screen') w.spoken = (w.spoken ?? '') + ' ' + n.data.slice(0, 200);
  return true;
}

function compute(el: Element, role: string, w: Walk, top: boolean): string {
  if (w.seen.has(el) || w.depth > maxDepth) return '';
  w.seen.add(el);
  const refs = attr(el, 'aria-labelledby');
  if (refs && !w.byRef) {
    const parts = refs.trim().split(/\s+/).slice(0, 20).map((id) => {
      const t = byId(el, id);
      return t ? referred(t, { seen: t === el ? new Set() : top ? new Set([el]) : w.seen, byRef: true, depth: w.depth + 1, left: w.left, hidden: isHidden(t) }, w) : '';
    });
    const text = parts.filter(Boolean).join(' ');
    if (text.trim()) return text;
  }
  if (!top) { const embedded = embeddedValue(el, role); if (embedded !== null) return embedded; }
  const label = localName(el) === 'slot' ? '' : attr(el, 'aria-label');
  if (label?.trim()) return label;
  if (localName(el) === 'img' && attr(el, 'alt') === '') return '';
  const native = nativeName(el, w);
  if (native.trim()) return native;
  if (fromContent.has(role) || w.byRef || !top) {
    const text = content(el, w);
    if (text.trim() || (!top && text && !has(el, 'title'))) return text;
  }
  if (fromHeading.has(role)) { const h = firstHeading(el); if (h) return inside(h, w, getComputedStyle(h), () => content(h, w)); }
  return attr(el, 'title') ?? (role === 'textbox' || role === 'searchbox' || role === 'combobox' || role === 'spinbutton' ? attr(el, 'placeholder') ?? attr(el, 'aria-placeholder') ?? '' : '');
}

/** The text of what aria-labelledby points at. What nobody sees of it may name things in few words, as a label for screen readers does. */
function referred(t: Element, own: Walk, w: Walk): string {
  if (!w.sight) return compute(t, roleOf(t), own, true);
  const before = new Set(own.seen), seen = own.hidden ? '' : compute(t, roleOf(t), { ...own, sight: sightOf(t) }, true);
  if (seen.trim()) return seen;
  const spoken = compute(t, roleOf(t), { ...own, seen: before }, true);
  if (spoken.trim()) w.unshown = true;
  return clean(spoken, longestReferred + 2).length <= longestReferred ? spoken : '';
}

function firstHeading(el: Element): Element | null {
  return el.querySelector('h1,h2,h3,h4,h5,h6,[role=heading]');
}

function isHidden(el: Element): boolean {
  const s = getComputedStyle(el);
  return s.visibility !== 'visible' || !el.checkVisibility() || attr(el, 'aria-hidden') === 'true';
}

/** A control inside of a name gives its value. */
function embeddedValue(el: Element, role: string): string | null {
  if (el instanceof HTMLInputElement) {
    if (role === 'textbox' || role === 'searchbox' || role === 'spinbutton' || role === 'slider' || role === 'combobox') return isSecret(el) ? '' : el.value;
    return null;
  }
  if (el instanceof HTMLSelectElement) return Array.from(el.selectedOptions, (o) => o.text).join(' ');
  if (el instanceof HTMLTextAreaElement) return el.value;
  if (role === 'combobox' || role === 'listbox') {
    const input = role === 'combobox' ? el.querySelector('input') : null;
    if (input && !isSecret(input)) return input.value;
    const chosen = role === 'listbox' ? el.querySelector('[aria-selected=true]') : el;
    return chosen ? clean(textContent(chosen), 200) : '';
  }
  if (role === 'slider' || role === 'spinbutton' || role === 'progressbar' || role === 'meter') return attr(el, 'aria-valuetext') ?? attr(el, 'aria-valuenow');
  return null;
}

function nativeName(el: Element, w: Walk): string {
  if (el instanceof HTMLInputElement) {
    const type = inputType(el);
    if (type === 'submit' || type === 'reset' || type === 'button') return labels(el, w) || el.value || (type === 'submit' ? 'Submit' : type === 'reset' ? 'Reset' : '');
    if (type === 'image') return labels(el, w) || attr(el, 'alt') || attr(el, 'title') || 'Submit';
    return labels(el, w) || (type === 'file' ? attr(el, 'title') ?? 'Choose file' : '');
  }
  if (el instanceof HTMLSelectElement || el instanceof HTMLTextAreaElement || el instanceof HTMLMeterElement || el instanceof HTMLProgressElement || el instanceof HTMLOutputElement || el instanceof HTMLButtonElement) return labels(el, w);
  switch (localName(el)) {
    case 'img': return attr(el, 'alt') ?? (has(el, 'title') ? '' : captionOf(el, w));
    case 'area': return attr(el, 'alt') ?? '';
    case 'fieldset': return childText(el, 'legend', w);
    case 'table': return childText(el, 'caption', w);
    case 'optgroup': case 'option': return attr(el, 'label') ?? '';
    case 'iframe': return attr(el, 'title') ?? '';
  }
  return isSVG(el) ? childText(el, 'title', w) || (attr(el, 'xlink:title') ?? '') : '';
}

/** An image that is all of its figure is called what the caption says. */
function captionOf(img: Element, w: Walk): string {
  const figure = img.parentElement;
  if (!figure || localName(figure) !== 'figure') return '';
  let caption: Element | null = null;
  for (const c of flatChildren(figure)) {
    if (isElement(c) && localName(c) === 'figcaption') caption = c;
    else if (c !== img && (isElement(c) || (c instanceof Text && c.data.trim()))) return '';
  }
  return caption ? content(caption, w) : '';
}

function labels(el: Element, w: Walk): string {
  const out: string[] = [];
  for (const l of labelsOf(el)) {
    if (out.length > 4) break;
    const of = (sight?: Sight): string => clean(compute(l, '', { seen: new Set(w.seen), byRef: w.byRef, depth: w.depth + 1, left: w.left, ...(sight ? { sight } : {}) }, false), 200);
    out.push((w.sight && of(sightOf(l))) || of());
  }
  return out.filter(Boolean).join(' ');
}

function childText(el: Element, tag: string, w: Walk): string {
  for (const c of flatChildren(el)) if (isElement(c) && localName(c) === tag) return tag === 'title' ? textContent(c) ?? '' : inside(c, w, getComputedStyle(c), () => content(c, w));
  return '';
}

const inlineDisplay = /^(inline|contents|ruby.*)$/;

function content(el: Element, w: Walk): string {
  if (w.depth > maxDepth) return (textContent(el) ?? '').slice(0, w.left);
  let out = pseudo(el, '::before', w.sight);
  const own = getComputedStyle(el), shows = w.hidden || own.visibility === 'visible';
  w.depth++;
  for (const n of flatChildren(el)) {
    if (w.left <= 0) break;
    if (n instanceof Text) { if (shows && !unseen(n, el, w)) { const t = n.data.slice(0, w.left); w.left -= t.length; out += transformed(t, own.textTransform); } continue; }
    if (!isElement(n)) continue;
    const tag = localName(n);
    if (tag === 'script' || tag === 'style' || tag === 'template' || tag === 'noscript') continue;
    if (tag === 'br') { out += ' '; continue; }
    const style = getComputedStyle(n);
    if (!w.hidden && (style.display === 'none' || attr(n, 'aria-hidden') === 'true')) continue;
    const text = inside(n, w, style, () => (w.hidden || style.visibility === 'visible' ? compute(n, roleOf(n), w, false) : content(n, w)));
    out += inlineDisplay.test(style.display) ? text : ' ' + text + ' ';
  }
  w.depth--;
  return out + pseudo(el, '::after', w.sight);
}

/** Text as it is shown. */
function transformed(text: string, how: string): string {
  switch (how) {
    case 'uppercase': return text.toUpperCase();
    case 'lowercase': return text.toLowerCase();
    case 'capitalize': return text.replace(/(^|\s)(\p{L})/gu, (_, s: string, c: string) => s + c.toUpperCase());
  }
  return text;
}

const piece = /"((?:[^"\\]|\\.)*)"|attr\(([\w-]+)\)|counter\(([\w-]+)[^)]*\)/g;

/** Generated content; what stands behind a slash speaks for it. */
function pseudo(el: Element, which: string, sight?: Sight): string {
  const style = getComputedStyle(el, which), c = style.content;
  if (c === 'none' || c === 'normal' || c === '') return '';
  if (sight && unseenPseudo(sight, style)) return '';
  const slash = /^(?:"(?:[^"\\]|\\.)*"|[^"/])*\/(.*)$/s.exec(c);
  const text = Array.from((slash?.[1] ?? c).matchAll(piece), (m) => m[1] ?? (m[2] ? attr(el, m[2]) ?? '' : counterOf(style, m[3] ?? ''))).join('');
  const shown = text.replace(/[\ue000-\uf8ff]/g, '');
  return inlineDisplay.test(style.display) || !shown ? shown : ' ' + shown + ' ';
}

/** A counter that the pseudo-element sets itself; others are the layout's, which scripts cannot ask. */
function counterOf(style: CSSStyleDeclaration, name: string): string {
  for (const list of [style.getPropertyValue('counter-set'), style.getPropertyValue('counter-reset')]) {
    const m = new RegExp('(?:^|\\s)' + name + '\\s+(-?\\d+)').exec(list);
    if (m?.[1]) return m[1] + ' ';
  }
  return '';
}

/** The visible label that stands for a control a person cannot see. */
export function labelFor(el: Element): HTMLElement | null {
  const list = el instanceof HTMLInputElement || el instanceof HTMLSelectElement ? labelsOf(el) : [];
  for (const l of list) { const r = l.getBoundingClientRect(); if (r.width > 0 && r.height > 0) return l; }
  return null;
}

/** `dialog "Edit"` for a container. */
export function called(el: Element): string {
  const role = roleOf(el) || localName(el);
  let name = nameOf(el, role);
  if (!name && role === 'form') name = clean(attr(el, 'name') ?? attr(el, 'id'), 60);
  return name ? role + ' "' + name.replace(/"/g, "'") + '"' : role;
}
