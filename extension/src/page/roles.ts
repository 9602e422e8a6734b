/** What an element is: ARIA in HTML, as far as a model needs it. */
import { classed, listens } from './hints';
import { attr, byId, closest, flatChildren, flatParent, has, isElement, isHTML, localName, matches, contentEditable, namespace, textContent } from './dom';

const known = new Set(('alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary contentinfo definition deletion ' +
  'dialog directory document emphasis feed figure form generic grid gridcell group heading img image insertion link list listbox listitem log main mark marquee math menu menubar menuitem ' +
  'menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator ' +
  'graphics-document graphics-object graphics-symbol sectionfooter sectionheader slider spinbutton status strong subscript suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem').split(' '));

const byTag: Record<string, string> = {
  address: 'group', article: 'article', aside: 'complementary', blockquote: 'blockquote', button: 'button', caption: 'caption', code: 'code', datalist: 'listbox', dd: 'definition', del: 'deletion',
  details: 'group', dfn: 'term', dir: 'list', dialog: 'dialog', dt: 'term', em: 'emphasis', fieldset: 'group', figure: 'figure', form: 'form', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading',
  h5: 'heading', h6: 'heading', hgroup: 'group', hr: 'separator', iframe: 'iframe', frame: 'iframe', ins: 'insertion', li: 'listitem', main: 'main', mark: 'mark', math: 'math', menu: 'list', meter: 'meter', nav: 'navigation',
  ol: 'list', optgroup: 'group', option: 'option', output: 'status', p: 'paragraph', progress: 'progressbar', s: 'deletion', search: 'search', strong: 'strong', sub: 'subscript',
  summary: 'button', sup: 'superscript', svg: 'img', table: 'table', tbody: 'rowgroup', textarea: 'textbox', tfoot: 'rowgroup', thead: 'rowgroup', time: 'time', tr: 'row', ul: 'list', video: 'video', audio: 'audio',
};
const byType: Record<string, string> = {
  button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'button', color: 'color', date: 'date',
  'datetime-local': 'date', month: 'date', week: 'date', time: 'time', password: 'textbox',
};

/** Roles that outlines do not show: they say nothing about what can be done. */
const silent = new Set(['none', 'generic', 'sectionheader', 'sectionfooter']);

/** The role for outlines: '' for an element that says nothing. */
export function roleOf(el: Element): string {
  const role = coreRole(el);
  return silent.has(role) ? '' : role;
}

/** The computed role of HTML-AAM and ARIA, none and generic by name. */
export function ariaRole(el: Element): string {
  const role = coreRole(el);
  const more = role === 'generic' || role === 'none';
  return more && isHTML(el) && (has(el, 'autofocus') || (has(el, 'draggable') && attr(el, 'draggable') !== 'false') || has(el, 'popover')) ? 'group' : role;
}

/** The first role given that is a real one where it stands, else the role of the tag. */
function coreRole(el: Element): string {
  const given = attr(el, 'role');
  if (!given) return nativeRole(el) || 'generic';
  let orphan = '';
  for (const r of given.trim().toLowerCase().split(/\s+/)) {
    if (r === 'none' || r === 'presentation') { if (focusable(el) || hasGlobalAria(el)) break; return 'none'; }
    if (!known.has(r) || ((r === 'region' || r === 'form') && !hasGlobalAria(el) && !has(el, 'title'))) continue;
    if (isOrphan(el, r)) { orphan ||= r; continue; }
    return r === 'image' ? 'img' : r === 'directory' ? 'list' : r;
  }
  return nativeRole(el) || orphan || 'generic'; // an orphan's role still says more than nothing
}

const contexts: Record<string, string> = {
  gridcell: 'row', listitem: 'list directory', option: 'listbox', menuitem: 'menu menubar', menuitemcheckbox: 'menu menubar', menuitemradio: 'menu menubar', tab: 'tablist', treeitem: 'tree treeitem',
};

/** Does the role need a container that is not there? */
function isOrphan(el: Element, role: string): boolean {
  const need = contexts[role];
  if (!need) return false;
  const fits = new Set(need.split(' '));
  for (let p = flatParent(el), i = 0; p && i < 20; p = flatParent(p), i++) {
    const r = (attr(p, 'role') ?? '').trim().toLowerCase().split(/\s+/)[0] || byTag[localName(p)] || '';
    if (fits.has(r)) return false;
  }
  const id = attr(el, 'id');
  return !(id && document.querySelector('[aria-owns~="' + CSS.escape(id) + '"]'));
}

function hasGlobalAria(el: Element): boolean {
  return has(el, 'aria-label') || has(el, 'aria-labelledby') || has(el, 'aria-describedby');
}

/** Named by the author, with words. */
function isNamed(el: Element): boolean {
  if (attr(el, 'aria-label')?.trim()) return true;
  const ids = attr(el, 'aria-labelledby')?.trim().split(/\s+/) ?? [];
  return ids.some((id) => { const t = byId(el, id); return !!t && !!(textContent(t) ?? '').trim(); });
}
const hasTitle = (el: Element): boolean => flatChildren(el).some((c) => isElement(c) && localName(c) === 'title');

function nativeRole(el: Element): string {
  const tag = localName(el);
  switch (tag) {
    case 'a': case 'area': return has(el, 'href') || (isSVG(el) && has(el, 'xlink:href')) ? 'link' : '';
    case 'img': return attr(el, 'alt') === '' && !isNamed(el) ? '' : 'img';
    case 'image': return isSVG(el) ? 'img' : '';
    case 'g': return isSVG(el) && (isNamed(el) || hasTitle(el)) ? 'group' : '';
    case 'input': {
      const type = inputType(el);
      if (type === 'hidden') return '';
      if (type === 'checkbox' && has(el, 'switch')) return 'switch';
      if (has(el, 'list') && (!byType[type] || type === 'search')) return 'combobox';
      return byType[type] ?? 'textbox';
    }
    case 'select': return el instanceof HTMLSelectElement && (el.multiple || el.size > 1) ? 'listbox' : 'combobox';
    case 'td': case 'th': return cellRole(el, tag);
    case 'header': case 'footer': return closest(el, 'article,aside,main,nav,section,[role=article],[role=complementary],[role=main],[role=navigation],[role=region]') ? 'section' + tag : tag === 'header' ? 'banner' : 'contentinfo';
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
  return attr(el, 'draggable') === 'true' || listens(el) || classed(el);
}

export const headingLevel = (el: Element): number => Number(attr(el, 'aria-level')) || Number(/^h([1-6])$/.exec(localName(el))?.[1]) || 2;
export const isSVG = (el: Element): boolean => namespace(el) === 'http://www.w3.org/2000/svg';

/** Nearest ancestor of el (el too) that is so, in the flat tree. */
export function ancestor(el: Element | null, so: (e: Element) => boolean): Element | null {
  for (let e = el, i = 0; e && i < 10000; e = flatParent(e), i++) if (so(e)) return e;
  return null;
}
export const isFrame = (el: Element | null): boolean => isElement(el) && (el instanceof HTMLIFrameElement || el instanceof HTMLFrameElement);
