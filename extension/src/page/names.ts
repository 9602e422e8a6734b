/** What an element is called: accname 1.2, bounded in depth and length. */
import { attr, byId, clean, flatChildren, isElement, localName, textContent } from './dom';
import { inputType, roleOf, isSVG } from './roles';

const fromContent = new Set(('button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row rowheader switch tab tooltip treeitem ' +
  'caption term').split(' '));
const maxDepth = 40, maxText = 2000;

interface Walk { seen: Set<Element>; byRef: boolean; depth: number; left: number }

/** The accessible name, one line; '' if there is none. */
export function nameOf(el: Element, role = roleOf(el)): string {
  return clean(compute(el, role, { seen: new Set(), byRef: false, depth: 0, left: maxText }, true));
}

/** The name of a target, and whether it was made from something that is not a name. */
export function targetName(el: Element, role = roleOf(el)): { name: string; derived: boolean } {
  const name = nameOf(el, role);
  return name ? { name, derived: false } : { name: derivedName(el), derived: true };
}

/** A name for a target that has none: content, test ids, classes of an icon. */
function derivedName(el: Element): string {
  const text = clean(textOf(el), 60);
  if (text) return text;
  for (const a of ['data-tooltip', 'data-title', 'data-label', 'data-name', 'name', 'data-testid', 'data-test', 'data-action', 'id']) {
    const v = clean(attr(el, a), 60);
    if (v) return words(v);
  }
  const icon = iconName(el);
  return icon || words(clean(attr(el, 'class'), 40));
}

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
  return content(el, { seen: new Set(), byRef: false, depth: 0, left: max });
}

function compute(el: Element, role: string, w: Walk, top: boolean): string {
  if (w.seen.has(el) || w.depth > maxDepth) return '';
  w.seen.add(el);
  const refs = attr(el, 'aria-labelledby');
  if (refs && !w.byRef) {
    const parts = refs.trim().split(/\s+/).slice(0, 20).map((id) => {
      const t = byId(el, id);
      return t ? compute(t, roleOf(t), { seen: t === el ? new Set() : new Set(w.seen).add(el), byRef: true, depth: w.depth + 1, left: w.left }, true) : '';
    });
    const text = parts.filter(Boolean).join(' ');
    if (text.trim()) return text;
  }
  if (!top) { const embedded = embeddedValue(el, role); if (embedded !== null) return embedded; }
  const label = attr(el, 'aria-label');
  if (label?.trim()) return label;
  const native = nativeName(el, role, w);
  if (native.trim()) return native;
  if (fromContent.has(role) || w.byRef || !top) {
    const text = content(el, w);
    if (text.trim()) return text;
  }
  return attr(el, 'title') ?? (role === 'textbox' || role === 'searchbox' || role === 'combobox' || role === 'spinbutton' ? attr(el, 'placeholder') ?? attr(el, 'aria-placeholder') ?? '' : '');
}

/** A control inside of a name gives its value. */
function embeddedValue(el: Element, role: string): string | null {
  if (el instanceof HTMLInputElement) {
    if (role === 'textbox' || role === 'searchbox' || role === 'spinbutton' || role === 'slider' || role === 'combobox') return inputType(el) === 'password' ? '' : el.value;
    return null;
  }
  if (el instanceof HTMLSelectElement) return Array.from(el.selectedOptions, (o) => o.text).join(' ');
  if (el instanceof HTMLTextAreaElement) return el.value;
  if (role === 'slider' || role === 'spinbutton' || role === 'progressbar' || role === 'meter') return attr(el, 'aria-valuetext') ?? attr(el, 'aria-valuenow');
  return null;
}

function nativeName(el: Element, role: string, w: Walk): string {
  if (el instanceof HTMLInputElement) {
    const type = inputType(el);
    if (type === 'submit' || type === 'reset' || type === 'button') return labels(el, w) || el.value || (type === 'submit' ? 'Submit' : type === 'reset' ? 'Reset' : '');
    if (type === 'image') return labels(el, w) || attr(el, 'alt') || attr(el, 'title') || 'Submit';
    return labels(el, w) || (type === 'file' ? attr(el, 'title') ?? 'Choose file' : '');
  }
  if (el instanceof HTMLSelectElement || el instanceof HTMLTextAreaElement || el instanceof HTMLMeterElement || el instanceof HTMLProgressElement || el instanceof HTMLOutputElement || el instanceof HTMLButtonElement) return labels(el, w);
  switch (localName(el)) {
    case 'img': case 'area': return attr(el, 'alt') ?? '';
    case 'fieldset': return childText(el, 'legend', w);
    case 'figure': return childText(el, 'figcaption', w);
    case 'table': return childText(el, 'caption', w);
    case 'optgroup': case 'option': return attr(el, 'label') ?? '';
    case 'iframe': return attr(el, 'title') ?? '';
    case 'svg': return childText(el, 'title', w) || (attr(el, 'xlink:title') ?? '');
  }
  return role === 'link' && isSVG(el) ? childText(el, 'title', w) : '';
}

function labels(el: Element & { labels: NodeListOf<HTMLLabelElement> | null }, w: Walk): string {
  const out: string[] = [];
  for (const l of el.labels ?? []) {
    if (out.length > 4) break;
    out.push(clean(compute(l, '', { seen: new Set(w.seen), byRef: w.byRef, depth: w.depth + 1, left: w.left }, false), 200));
  }
  return out.filter(Boolean).join(' ');
}

function childText(el: Element, tag: string, w: Walk): string {
  for (const c of flatChildren(el)) if (isElement(c) && localName(c) === tag) return tag === 'title' ? textContent(c) ?? '' : content(c, w);
  return '';
}

const inlineDisplay = /^(inline|contents|ruby)/;

function content(el: Element, w: Walk): string {
  if (w.depth > maxDepth) return (textContent(el) ?? '').slice(0, w.left);
  let out = pseudo(el, '::before');
  w.depth++;
  for (const n of flatChildren(el)) {
    if (w.left <= 0) break;
    if (n instanceof Text) { const t = n.data.slice(0, w.left); w.left -= t.length; out += t; continue; }
    if (!isElement(n)) continue;
    const tag = localName(n);
    if (tag === 'script' || tag === 'style' || tag === 'template' || tag === 'noscript') continue;
    if (tag === 'br') { out += ' '; continue; }
    const style = getComputedStyle(n);
    if (style.display === 'none' || style.visibility !== 'visible' || attr(n, 'aria-hidden') === 'true') continue;
    const text = compute(n, roleOf(n), w, false);
    out += inlineDisplay.test(style.display) ? text : ' ' + text + ' ';
  }
  w.depth--;
  return out + pseudo(el, '::after');
}

function pseudo(el: Element, which: string): string {
  const c = getComputedStyle(el, which).content;
  if (c === 'none' || c === 'normal' || c === '') return '';
  const alt = / \/ "((?:[^"\\]|\\.)*)"$/.exec(c);
  if (alt) return alt[1] ?? '';
  return Array.from(c.matchAll(/"((?:[^"\\]|\\.)*)"/g), (m) => m[1] ?? '').join('').replace(/[\ue000-\uf8ff]/g, '');
}

/** The visible label that stands for a control a person cannot see. */
export function labelFor(el: Element): HTMLElement | null {
  const list = el instanceof HTMLInputElement || el instanceof HTMLSelectElement ? el.labels : null;
  for (const l of list ?? []) { const r = l.getBoundingClientRect(); if (r.width > 0 && r.height > 0) return l; }
  return null;
}

/** `dialog "Edit"` for a container. */
export function called(el: Element): string {
  const role = roleOf(el) || localName(el);
  let name = nameOf(el, role);
  if (!name && (role === 'dialog' || role === 'alertdialog')) {
    const h = el.querySelector('h1,h2,h3,h4,[role=heading],header,legend');
    name = h ? clean(textOf(h), 60) : '';
  }
  if (!name && role === 'form') name = clean(attr(el, 'name') ?? attr(el, 'id'), 60);
  return name ? role + ' "' + name.replace(/"/g, "'") + '"' : role;
}
