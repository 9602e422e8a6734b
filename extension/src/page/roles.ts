/** What an element is: ARIA in HTML, as far as a model needs it. */
import { attr, closest, flatParent, has, isElement, isHTML, localName, matches, contentEditable, namespace } from './dom';

const known = new Set(('alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary contentinfo definition deletion ' +
  'dialog directory document emphasis feed figure form generic grid gridcell group heading img image insertion link list listbox listitem log main mark marquee math menu menubar menuitem ' +
  'menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator ' +
  'slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem').split(' '));

const byTag: Record<string, string> = {
  article: 'article', aside: 'complementary', blockquote: 'blockquote', button: 'button', caption: 'caption', code: 'code', datalist: 'listbox', dd: 'definition', del: 'deletion',
  details: 'group', dfn: 'term', dialog: 'dialog', dt: 'term', em: 'emphasis', fieldset: 'group', figure: 'figure', form: 'form', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading',
  h5: 'heading', h6: 'heading', hr: 'separator', iframe: 'iframe', frame: 'iframe', ins: 'insertion', li: 'listitem', main: 'main', mark: 'mark', math: 'math', menu: 'list', meter: 'meter', nav: 'navigation',
  ol: 'list', optgroup: 'group', option: 'option', output: 'status', p: 'paragraph', progress: 'progressbar', s: 'deletion', search: 'search', strong: 'strong', sub: 'subscript',
  summary: 'button', sup: 'superscript', svg: 'img', table: 'table', tbody: 'rowgroup', textarea: 'textbox', tfoot: 'rowgroup', thead: 'rowgroup', time: 'time', tr: 'row', ul: 'list', video: 'video', audio: 'audio',
};
const byType: Record<string, string> = {
  button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'button', color: 'color', date: 'date',
  'datetime-local': 'date', month: 'date', week: 'date', time: 'time', password: 'textbox',
};

/** The role for outlines: '' for an element that is none or generic. */
export function roleOf(el: Element): string {
  const role = ariaRole(el);
  return role === 'none' || role === 'generic' ? '' : role;
}

/** The explicit role if it is a real one, else the role of the tag; none and generic by name. */
export function ariaRole(el: Element): string {
  const given = attr(el, 'role');
  if (given) {
    for (const r of given.trim().toLowerCase().split(/\s+/)) {
      if (r === 'none' || r === 'presentation') { if (focusable(el) || hasGlobalAria(el)) break; return 'none'; }
      if (known.has(r)) return r === 'image' ? 'img' : r === 'directory' ? 'list' : r;
    }
  }
  return nativeRole(el) || 'generic';
}

function hasGlobalAria(el: Element): boolean {
  return has(el, 'aria-label') || has(el, 'aria-labelledby') || has(el, 'aria-describedby');
}

function nativeRole(el: Element): string {
  const tag = localName(el);
  switch (tag) {
    case 'a': case 'area': return has(el, 'href') ? 'link' : '';
    case 'img': return attr(el, 'alt') === '' && !has(el, 'aria-label') && !has(el, 'title') ? '' : 'img';
    case 'input': {
      const type = inputType(el);
      if (type === 'hidden') return '';
      if (has(el, 'list') && (!byType[type] || type === 'search')) return 'combobox';
      return byType[type] ?? 'textbox';
    }
    case 'select': return el instanceof HTMLSelectElement && (el.multiple || el.size > 1) ? 'listbox' : 'combobox';
    case 'td': case 'th': return cellRole(el, tag);
    case 'header': case 'footer': return closest(el, 'article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]') ? '' : tag === 'header' ? 'banner' : 'contentinfo';
    case 'section': return hasGlobalAria(el) || has(el, 'title') ? 'region' : '';
    case 'form': return 'form';
  }
  if (tag === 'summary') { const p = flatParent(el); return p && localName(p) === 'details' ? 'button' : ''; }
  const role = byTag[tag];
  if (role) return role;
  return isHTML(el) && isEditingHost(el) ? 'textbox' : '';
}

function cellRole(el: Element, tag: string): string {
  const table = closest(el, 'table');
  const grid = table && matches(table, '[role=grid],[role=treegrid]');
  if (tag === 'td') return grid ? 'gridcell' : 'cell';
  const scope = attr(el, 'scope');
  if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
  return closest(el, 'thead') || scope ? 'columnheader' : el.previousElementSibling || el.nextElementSibling?.localName !== 'td' ? 'columnheader' : 'rowheader';
}

/** type of an input, lower case, as the browser understands it. */
export const inputType = (el: Element): string => (el instanceof HTMLInputElement ? el.type : '');

/** The element where a contenteditable region begins. */
export function isEditingHost(el: HTMLElement): boolean {
  if (!contentEditable(el)) return false;
  const p = flatParent(el);
  return !(isHTML(p) && contentEditable(p));
}

export function focusable(el: Element): boolean {
  const tag = localName(el);
  if (tag === 'input' || tag === 'select' || tag === 'textarea' || tag === 'button') return !matches(el, ':disabled');
  if ((tag === 'a' || tag === 'area') && has(el, 'href')) return true;
  return has(el, 'tabindex') || (isHTML(el) && isEditingHost(el));
}

const widgets = new Set('button link checkbox radio switch textbox searchbox combobox listbox option slider spinbutton tab menuitem menuitemcheckbox menuitemradio treeitem gridcell color date time scrollbar'.split(' '));
const nativeTargets = new Set(['button', 'input', 'select', 'textarea', 'summary']);

/** Is it a control by its tag, its ARIA role, editing or focus? Cursor and listeners are judged by the walk. */
export function isControl(el: Element, role: string): boolean {
  const tag = localName(el);
  if (nativeTargets.has(tag)) return role !== '' || tag === 'summary';
  if (role === 'link' || tag === 'option') return tag !== 'option';
  if (role === 'time' || role === 'date') return tag === 'input';
  if (role === 'gridcell') return has(el, 'tabindex') || has(el, 'onclick');
  if (role === 'option') return true;
  if (widgets.has(role)) return true;
  return isHTML(el) && isEditingHost(el);
}

/** Acts without saying so: attributes that only targets have. */
export function isListening(el: Element): boolean {
  if (has(el, 'onclick') || has(el, 'onmousedown') || has(el, 'onpointerdown')) return true;
  const tab = attr(el, 'tabindex');
  if (tab !== null && Number(tab) >= 0) return true;
  return attr(el, 'draggable') === 'true';
}

export const headingLevel = (el: Element): number => Number(attr(el, 'aria-level')) || Number(/^h([1-6])$/.exec(localName(el))?.[1]) || 2;
export const isSVG = (el: Element): boolean => namespace(el) === 'http://www.w3.org/2000/svg';

/** Nearest ancestor of el (el too) that is so, in the flat tree. */
export function ancestor(el: Element | null, so: (e: Element) => boolean): Element | null {
  for (let e = el, i = 0; e && i < 10000; e = flatParent(e), i++) if (so(e)) return e;
  return null;
}
export const isFrame = (el: Element | null): boolean => isElement(el) && (el instanceof HTMLIFrameElement || el instanceof HTMLFrameElement);
