/** The outline: one walk over the flat tree with an explicit stack, a line budget and a time cap. */
import { attr, clean, flatChildren, has, inert, isElement, isHTML, localName, parentNode, quote, rectOf, Refusal, shadow, textContent } from './dom';
import { shownValue, statesOf } from './facts';
import { isSecret } from './secret';
import { invites, knowsListeners, listens } from './hints';
import { beyond, facing, foldRuns, isFold, type Fold } from './lazy';
import { imageName, labelFor, nameOf, targetName, textOf } from './names';
import { overlays } from './overlays';
import { maxRef, refOf, resolve } from './refs';
import { headingLevel, inputType, isControl, isFrame, isListening, roleOf } from './roles';
import { sightAt, whyText, within, type Sight, type Why } from './sight';
import { hides, inView, visible } from './visible';
import { revision, watchRoot } from './watch';
import type { Line, ReadOps } from './ops';

type Args = ReadOps['snapshot']['args'];
/** An outline item; its line is written when something in it is. */
interface Item { up: Item | null; depth: number; text: string; line?: Line; takesText: boolean; inView: boolean }
interface Open { kids: Array<Node | Fold>; at: number; item: Item; hidden: boolean; mute: boolean; inTarget: '' | 'control' | 'listener'; pointer: boolean; sight: Sight; block: boolean; el: Element }

const skipped = new Set(['script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'title', 'datalist', 'param', 'source', 'track']);
const structure = new Set(('alert alertdialog article banner blockquote complementary contentinfo definition dialog feed figure form grid group list listbox listitem log main menu menubar navigation radiogroup ' +
  'region row rowheader columnheader cell gridcell search status table tablist tabpanel term toolbar tree treegrid tooltip caption').split(' '));
const takesText = new Set('alert blockquote caption cell columnheader definition gridcell listitem rowheader status term tooltip log figure'.split(' '));
const unnamedGroups = new Set(['group', 'radiogroup', 'figure', 'caption']);
const rowish = new Set(['row', 'listitem', 'article']);
const cellish = new Set(['cell', 'gridcell', 'columnheader', 'rowheader', 'list', 'table', 'grid', 'definition', 'term', 'figure', 'caption', 'blockquote', 'status', 'log']);
const ownContent = new Set(['textbox', 'searchbox', 'combobox', 'slider', 'spinbutton', 'date', 'time', 'color']);
const defaultCapMs = 1500;
/** Stands in the lines for elements that were not walked yet. */
interface Later { els: Element[]; up: Open }

/** The answer of the snapshot operation. */
export function snapshot(a: Args): ReadOps['snapshot']['answer'] {
  const w = new Walker(a);
  const start = a.root === undefined ? null : resolve(a.root);
  const tops = start ? [] : overlays();
  for (const o of tops) { w.skip.delete(o.el); w.walk(o.el); w.skip.add(o.el); }
  const body = start ?? document.body ?? document.documentElement;
  if (body) w.walk(body);
  const more = w.rest();
  return {
    lines: w.lines, ...(more ? { more } : {}), ...(knowsListeners() ? {} : { blind: true }), url: location.href, title: clean(document.title, 200), examined: w.examined, omitted: w.omitted, hidden: w.hidden,
    overlays: tops.map((o) => o.info), maxRef: maxRef(), revision: revision(), ...(w.partial ? { partial: w.partial } : {}),
  };
}

/** The outline of one element and what is in it, at most so many lines in so many milliseconds. */
export function linesOf(el: Element, maxLines: number, capMs: number): Line[] {
  const w = new Walker({ maxLines, capMs });
  w.walk(el);
  return w.lines;
}

class Walker {
  lines: Line[] = [];
  examined = 0; omitted = 0; hidden = 0; partial = '';
  skip = new Set<Element>();
  private readonly until; private readonly capMs;
  private readonly eyes: Set<Element> | null;
  private readonly enough; private readonly unfold;
  private bytes = 0;
  private later = new Map<Line, Later>();
  private readonly filter; private readonly maxDepth; private readonly maxLines; private readonly showHidden;
  private text = ''; private textItem: Item | null = null; private textIn = false; private textWhy: Why = '';

  constructor(a: Args) {
    this.filter = a.filter ?? 'all';
    if (!['all', 'visible', 'interactive'].includes(this.filter)) throw new Refusal('invalid_args', 'filter: ' + clean(String(a.filter), 20), 'use all, visible or interactive');
    this.maxDepth = a.maxDepth && a.maxDepth > 0 ? a.maxDepth : Infinity;
    this.maxLines = a.maxLines && a.maxLines > 0 ? a.maxLines : 6000;
    this.showHidden = a.include_hidden === true;
    this.capMs = Math.min(a.capMs ?? defaultCapMs, 60000);
    this.until = performance.now() + this.capMs;
    this.enough = a.enough && a.enough > 0 ? a.enough : Infinity;
    this.eyes = a.enough && a.root === undefined ? facing() : null;
    this.unfold = a.unfold === true || a.root !== undefined;
  }

  walk(start: Element): void {
    const none: Item = { up: null, depth: -1, text: '', line: { d: -1, t: '' }, takesText: false, inView: false };
    this.below({ kids: [start], at: 0, item: none, hidden: false, mute: false, inTarget: '', pointer: false, sight: sightAt(start), block: true, el: start });
  }

  /** Walks what was put off, in the order of the document, until there is enough. True: there is more. */
  rest(): boolean {
    if (!this.later.size) return this.full();
    const first = this.lines;
    const out: Line[] = [];
    let more = false;
    for (const l of first) {
      const put = this.later.get(l);
      if (!put) { out.push(l); continue; }
      if (this.full() || this.partial) { more = true; continue; }
      this.lines = [];
      this.below({ ...put.up, kids: put.els, at: 0, block: true }, true);
      for (const x of this.lines) out.push(x);
    }
    this.lines = out;
    return more || this.full();
  }
  private full(): boolean { return this.bytes >= this.enough; }

  private below(outer: Open, late = false): void {
    const stack = [outer];
    while (stack.length) {
      if (this.full()) { this.flush(); return; }
      const top = stack[stack.length - 1];
      if (!top) break;
      const n = top.kids[top.at++];
      if (!n) { if (top.block) this.flush(); stack.pop(); continue; }
      if (isFold(n)) { this.flush(); this.fold(n, top); continue; }
      if (n instanceof Text) { this.addText(n, top); continue; }
      if (!isElement(n) || this.skip.has(n) || skipped.has(localName(n))) { if (!top.hidden) this.unshown(n, top); continue; }
      if ((++this.examined & 63) === 0 && performance.now() > this.until) { this.partial = 'time cap of ' + this.capMs + ' ms: the page was not examined to its end'; this.flush(); return; }
      if (!late && this.eyes && !top.hidden && beyond(n, this.eyes)) { this.putOff(n, top); continue; }
      const open = this.enter(n, top);
      if (open) stack.push(open);
    }
    this.flush();
  }

  /** Leaves an element that is out of view for later, with its neighbours. */
  private putOff(el: Element, up: Open): void {
    this.flush();
    if (this.filter === 'visible' || !this.ensure(up.item)) { this.omitted++; return; }
    const last = this.lines[this.lines.length - 1], put = last && this.later.get(last);
    if (put && put.up === up) { put.els.push(el); return; }
    const line: Line = { d: up.item.depth + 1, t: '' };
    this.lines.push(line);
    this.later.set(line, { els: [el], up });
  }

  /** Text in places that are never drawn. */
  private unshown(n: Node, up: Open): void {
    const [why, text] = n instanceof Comment ? ['comment', n.data] : n instanceof HTMLTemplateElement ? ['template', textContent(n.content)] : isElement(n) && localName(n) === 'noscript' ? ['noscript', textContent(n)] : ['', ''];
    this.aside(why, text, up.item);
  }

  /** Counts a piece that nobody sees, if it says something, and shows it where that was asked for. */
  aside(why: string, text: string | null, item: Item): void {
    const t = inert(clean(text, 300));
    if (!why || !/\p{L}\S*\s+\S*\p{L}/u.test(t)) return;
    if (!this.showHidden) { this.hidden++; return; }
    this.flush();
    if (this.ensure(item)) this.push({ d: item.depth + 1, t: '(hidden: ' + why + ') text: ' + t });
  }

  private fold(f: Fold, up: Open): void {
    if (up.hidden || this.filter === 'visible') { this.omitted += f.folded; return; }
    if (this.ensure(up.item)) this.push({ d: up.item.depth + 1, t: '(' + f.folded + ' more ' + f.what + ': open with ref_id ' + refOf(up.el) + ')' });
  }

  /** Judges one element, writes its line, and says how to go on below it. */
  private enter(el: Element, up: Open): Open | null {
    const style = getComputedStyle(el);
    const sight = within(up.sight, el, style);
    const reason = up.hidden ? '' : hides(el, style) || (sight.why && 'transparent');
    const role = roleOf(el);
    const acting = (reason !== '' || up.hidden) && actsHidden(el, reason);
    if (reason && !acting) {
      if (clean(textContent(el), 40)) this.hidden++;
      if (reason === 'gone' && !this.showHidden) return null;
    }
    const hidden = up.hidden || (reason !== '' && !acting);
    const seen = acting || (!hidden && style.visibility === 'visible');
    const pointer = invites(style.cursor);
    const block = !/^(inline|contents|ruby)/.test(style.display);
    if (block || localName(el) === 'br') this.flush();
    const open: Open = {
      kids: [], at: 0, item: up.item, hidden, mute: up.mute, inTarget: up.inTarget, pointer, sight, block, el };
    if (attr(el, 'aria-hidden') === 'true' || up.sight.text === 'aria-hidden') sight.text = 'aria-hidden';
    if (hidden && !sight.text) sight.text = reason === 'gone' ? 'not displayed' : reason || up.sight.text || 'not displayed';
    const goOn = seen ? this.item(el, role, up, open, acting) : true;
    if (!goOn) return null;
    const kids = flatChildren(el);
    open.kids = this.unfold ? kids : foldRuns(kids);
    const root = shadow(el);
    if (root) watchRoot(root);
    if (named(el)) open.mute = true;
    return open;
  }

  private item(el: Element, role: string, up: Open, open: Open, acting: boolean): boolean {
    const control = isControl(el, role);
    const listening = !control && (up.inTarget === 'listener' && listens(el) || !up.inTarget && (isListening(el) || (open.pointer && !up.pointer && el !== document.body && !labelOfControl(el))));
    if (control || listening) {
      const r = rectOf(el);
      const drawn = control ? r.width + r.height > 0 || el.children.length > 0 : (r.width >= 4 && r.height >= 4) || style(el) === 'contents' || attr(el, 'draggable') === 'true';
      if (acting || drawn) { this.target(el, role, open, r); open.inTarget = control ? 'control' : 'listener'; return !ownContent.has(role) && localName(el) !== 'select'; }
    }
    if (isFrame(el)) { this.frame(el, open); return false; }
    if (this.filter === 'interactive') return this.context(el, role, open);
    if (role === 'heading') { open.item = this.add(open.item, 'heading ' + quote(nameOf(el, role, open.sight)) + ' level=' + headingLevel(el), el); open.mute = true; return true; }
    if (role === 'img') { if (up.mute) return localName(el) === 'svg'; const name = imageName(el, role, open.sight); if (name) this.add(open.item, 'img ' + quote(name), el); return localName(el) === 'svg'; }
    if (role === 'separator' || role === 'progressbar' || role === 'meter') { const v = shownValue(el), name = nameOf(el, role, open.sight); if (name || v) this.add(open.item, role + (name ? ' ' + quote(name) : '') + (v ? ' value=' + quote(v) : ''), el); return false; }
    if (structure.has(role)) this.section(el, role, open);
    return true;
  }

  private context(el: Element, role: string, open: Open): boolean {
    if (!structure.has(role) || cellish.has(role)) return true;
    if (rowish.has(role)) open.item = this.lazy(open.item, role + ' ' + quote(clean(textOf(el, 200), 60)), false, el);
    else this.section(el, role, open);
    return true;
  }

  private section(el: Element, role: string, open: Open): void {
    const name = takesText.has(role) || role === 'row' ? clean(attr(el, 'aria-label'), 120) : nameOf(el, role, open.sight);
    if (!name && unnamedGroups.has(role)) return;
    const dialog = role === 'dialog' || role === 'alertdialog';
    const ref = dialog || role === 'table' || role === 'grid' || role === 'listbox' ? ' [' + refOf(el, role, name) + ']' : '';
    open.item = this.lazy(open.item, role + (name ? ' ' + quote(name) : '') + ref, takesText.has(role), el);
  }

  private frame(el: Element, open: Open): void {
    const name = nameOf(el, 'iframe', open.sight) || clean(attr(el, 'name') ?? attr(el, 'id'), 60), ref = refOf(el, 'iframe', name);
    const it = this.add(open.item, 'iframe' + (name ? ' ' + quote(name) : '') + ' [' + ref + ']', el);
    if (it.line) { it.line.ref = ref; it.line.frame = true; }
  }

  private target(el: Element, role: string, open: Open, r: DOMRect): void {
    const { name, derived } = targetName(el, role, open.sight);
    const see = labelFor(el);
    const iv = inView(r) || (see !== null && inView(rectOf(see)));
    open.mute = !['tabpanel', 'listbox', 'menu', 'tree', 'group', 'row', 'gridcell'].includes(role) && !(role === '' && el.children.length > 8);
    if (this.filter === 'visible' && !iv) { this.omitted++; return; }
    const ref = refOf(el, role, name);
    const it = this.add(open.item, (role || 'clickable') + (name ? (derived ? ' ~' : ' ') + quote(name) : '') + ' [' + ref + ']' + extras(el, role, name, unread(open.sight.text)), el, iv);
    if (it.line) it.line.ref = ref;
    open.item = it;
    if (el instanceof HTMLSelectElement && it.line) this.options(el, it);
  }

  private options(el: HTMLSelectElement, it: Item): void {
    const all = Array.from(el.options).filter((o) => offered(o));
    const shown = all.length > 30 ? all.slice(0, 25).concat(all.slice(25).filter((o) => o.selected)) : all;
    for (const o of shown) this.push({ d: it.depth + 1, t: 'option ' + quote(clean(o.label || o.text, 60)) + (o.selected ? ' (selected)' : '') + (o.disabled ? ' disabled' : ''), iv: it.inView });
    if (all.length > shown.length) this.push({ d: it.depth + 1, t: '(' + (all.length - shown.length) + ' more options)', iv: it.inView });
  }

  private addText(n: Text, o: Open): void {
    if (!o.hidden && (o.mute || this.filter === 'interactive')) return;
    if (!n.data.trim()) { if (this.text) this.text += ' '; return; }
    const why = whyText(n, o.el, o.sight);
    if (why === 'masked' || why && !this.showHidden) { if (!o.hidden) this.hidden++; return; }
    if (this.textItem !== o.item || why !== this.textWhy) this.flush();
    const t = n.data.length > 4000 ? n.data.slice(0, 4000) : n.data;
    if (this.text.length > 4000) return;
    if (!this.text) { this.textItem = o.item; this.textWhy = why; this.textIn = inView(rectOf(o.el)); }
    this.text += t;
  }

  private flush(): void {
    const t = inert(clean(this.text, 600)), item = this.textItem;
    this.text = ''; this.textItem = null;
    if (!t || !item) return;
    if (this.filter === 'visible' && !this.textIn) { this.omitted++; return; }
    if (item.takesText && !this.textWhy && this.ensure(item) && item.line && this.lines[this.lines.length - 1] === item.line && !item.line.t.includes('": ') && !item.line.t.endsWith(t)) {
      item.line.t += ': ' + t;
      if (this.textIn) item.line.iv = true;
      return;
    }
    if (!this.ensure(item)) { this.omitted++; return; }
    this.push({ d: item.depth + 1, t: (this.textWhy ? '(hidden: ' + this.textWhy + ') ' : '') + 'text: ' + t, ...(this.textIn ? { iv: true } : {}) });
  }

  private lazy(up: Item, text: string, takes: boolean, el: Element): Item {
    return { up, depth: up.depth + 1, text, takesText: takes, inView: inView(rectOf(el)) };
  }
  private add(up: Item, text: string, el: Element, iv = inView(rectOf(el))): Item {
    this.flush();
    const it: Item = { up, depth: up.depth + 1, text, takesText: false, inView: iv };
    if (this.filter === 'visible' && !iv) { this.omitted++; return it; }
    if (!this.ensure(it)) this.omitted++;
    return it;
  }
  /** Writes the lines of an item and of those around it that are not written yet. */
  private ensure(it: Item): boolean {
    const todo: Item[] = [];
    for (let i: Item | null = it; i && !i.line; i = i.up) todo.push(i);
    while (todo.length) {
      const i = todo.pop();
      if (!i) break;
      const line: Line = { d: i.depth, t: i.text, ...(i.inView ? { iv: true } : {}) };
      if (!this.push(line)) return false;
      i.line = line;
      const ref = /\[((?:f\d+)?e\d+)\]/.exec(i.text);
      if (ref?.[1] && i.text.endsWith(']')) line.ref = ref[1];
    }
    return true;
  }
  private push(l: Line): boolean {
    if (l.d >= this.maxDepth) return false;
    if (this.lines.length >= this.maxLines) { this.partial ||= 'more than ' + this.maxLines + ' lines'; return false; }
    this.lines.push(l);
    this.bytes += l.d + l.t.length + 1;
    return true;
  }
}

/** Text that names what has a line of its own: labels, legends, captions. */
function named(el: Element): boolean {
  if (el instanceof HTMLLabelElement) return el.control !== null && !attr(el.control, 'aria-label') && !attr(el.control, 'aria-labelledby') && inputType(el.control) !== 'hidden';
  return el instanceof HTMLLegendElement || el instanceof HTMLTableCaptionElement;
}

const style = (el: Element): string => getComputedStyle(el).display;

/** A link that is a part of a picture; such elements are never displayed themselves. */
function pictured(el: HTMLAreaElement): boolean {
  const map = el.parentElement?.closest('map'), name = map ? attr(map, 'name') : null;
  return has(el, 'href') && name !== null && /^[\w.-]+$/.test(name) && Array.from(document.querySelectorAll('img[usemap="#' + name + '"]')).some((i) => visible(i));
}

/** A native control that a person uses by what is drawn for it. */
function actsHidden(el: Element, reason: string): boolean {
  if (el instanceof HTMLAreaElement) return pictured(el);
  const type = inputType(el);
  if (type === 'file') return true;
  if (type === 'checkbox' || type === 'radio' || type === 'range') {
    if (labelFor(el)) return true;
    const r = rectOf(el);
    return reason !== 'gone' && r.width > 4 && r.height > 4;
  }
  return false;
}

/** Is a choice in the list that opens? What is chosen is seen even where its choice is not. */
function offered(o: HTMLOptionElement): boolean {
  const up = parentNode(o);
  return o.selected || getComputedStyle(o).display !== 'none' && !(up instanceof HTMLOptGroupElement && getComputedStyle(up).display === 'none');
}

function labelOfControl(el: Element): boolean {
  const l = isHTML(el) ? el.closest('label') : null;
  return l instanceof HTMLLabelElement && l.control !== null;
}

/** Is a field's value drawn so that nobody can read it? */
const unread = (why: Why): boolean => why === 'tiny' || why === 'colour';

function extras(el: Element, role: string, name: string, unseen: boolean): string {
  let s = '';
  const type = inputType(el);
  if (type === 'password' || type === 'file' || type === 'email' || type === 'date' || type === 'datetime-local') s += ' type=' + type;
  const v = unseen && !isSecret(el) && (el instanceof HTMLInputElement || el instanceof HTMLTextAreaElement) ? '' : shownValue(el);
  if (v !== undefined && !(el instanceof HTMLSelectElement) && v !== '' && v !== name) s += ' value=' + (v === '•••' ? v : quote(v));
  const ph = clean(attr(el, 'placeholder'), 60);
  if (ph && ph !== name && !v) s += ' placeholder=' + quote(ph);
  for (const st of statesOf(el, role)) s += ' ' + st;
  const pop = attr(el, 'aria-haspopup');
  if (pop && pop !== 'false') s += ' haspopup=' + clean(pop, 12);
  if (role === 'link') { const h = clean(attr(el, 'href'), 100); if (h) s += ' href=' + quote(h); }
  return s;
}
