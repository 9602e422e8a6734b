/** The page as prose: main content as light Markdown, and structured pieces of it. */
import { attr, clean, flatChildren, isElement, localName, textContent, within } from './dom';
import { imageName, nameOf, textOf } from './names';
import { knownRef, resolve } from './refs';
import { headingLevel, roleOf } from './roles';
import { sightOf, whyText, within as below, type Sight } from './sight';
import { reveal } from './reveal';
import { hides, visible } from './visible';
import type { ReadOps } from './ops';

interface Open { el: Element; kids: Node[]; at: number; close: string; pre: boolean; sight: Sight }
const skipped = new Set(['script', 'style', 'noscript', 'template', 'head', 'svg', 'iframe', 'select', 'textarea', 'button', 'input', 'video', 'audio', 'canvas', 'datalist']);
const capMs = 1500, capChars = 2000000;

/** One window of the prose. */
export function text(a: ReadOps['text']['args']): ReadOps['text']['answer'] {
  const start = a.root === undefined ? mainContent() : resolve(a.root);
  const { out, partial } = prose(start);
  const offset = Math.max(0, a.offset ?? 0), limit = Math.max(1, a.limit ?? 8000);
  let end = Math.min(out.length, offset + limit);
  if (end < out.length) { const nl = out.lastIndexOf('\n', end); if (nl > offset + limit / 2) end = nl + 1; }
  return { text: out.slice(offset, end), offset, total: out.length, ...(end < out.length ? { next: end } : {}), title: clean(document.title, 200), url: location.href, ...(partial ? { partial } : {}) };
}

/** The main landmark when it holds a good part of the text, else the body. */
function mainContent(): Element {
  const body = document.body ?? document.documentElement;
  const total = (textContent(body) ?? '').length;
  for (const el of within(body, 'main,[role=main],article')) if (visible(el) && (textContent(el) ?? '').length > Math.min(200, total / 3)) return el;
  return body;
}

class Out {
  private parts: string[] = []; private length = 0; private line = ''; private gap = 0; private raw = '';
  prefix = '';
  get full(): boolean { return this.length > capChars; }
  add(t: string, pre: boolean): void {
    if (pre) { this.raw += reveal(t); return; }
    const s = reveal(t).replace(/[^\S\ufeff]+/g, ' ');
    this.line += this.line === '' || this.line.endsWith(' ') ? s.trimStart() : s;
  }
  brk(gap: number): void {
    const l = this.raw ? this.raw.replace(/\s+$/, '') : this.line.trimEnd();
    if (l) { this.put((this.parts.length && this.gap ? '\n'.repeat(this.gap) : '') + this.prefix + l); this.prefix = ''; this.gap = Math.max(1, gap); } else this.gap = Math.max(this.gap, gap);
    this.line = ''; this.raw = '';
  }
  private put(s: string): void { this.parts.push(s); this.length += s.length; }
  done(): string { this.brk(0); return this.parts.join('') + '\n'; }
}

function prose(start: Element): { out: string; partial: string } {
  const out = new Out(), until = performance.now() + capMs, stack: Open[] = [{ el: start, kids: flatChildren(start), at: 0, close: '', pre: false, sight: sightOf(start) }];
  let partial = '', steps = 0;
  while (stack.length) {
    const top = stack[stack.length - 1];
    if (!top) break;
    const n = top.kids[top.at++];
    if (!n) { if (top.close) close(out, top.close); stack.pop(); continue; }
    if ((++steps & 127) === 0 && (performance.now() > until || out.full)) { partial = 'the page was not read to its end'; break; }
    if (n instanceof Text) { if (!n.data.trim() || !whyText(n, top.el, top.sight)) out.add(n.data.slice(0, 100000), top.pre); continue; }
    if (!isElement(n) || skipped.has(localName(n))) continue;
    const style = getComputedStyle(n);
    if (hides(n, style)) continue;
    const sight = below(top.sight, n, style);
    if (sight.why) continue;
    if (top.sight.text === 'aria-hidden' && !sight.text) sight.text = 'aria-hidden';
    const role = roleOf(n);
    if (role === 'table') { const t = tableText(n); if (t) { out.brk(2); out.add(t, true); out.brk(2); continue; } }
    if (role === 'img') { const name = imageName(n, role, sight); if (name && localName(n) === 'img') out.add('[image: ' + name + ']', false); continue; }
    stack.push({ el: n, kids: flatChildren(n), at: 0, close: open(out, n, role, style), pre: top.pre || /^pre/.test(style.whiteSpace), sight });
  }
  return { out: out.done(), partial };
}

function open(out: Out, el: Element, role: string, style: CSSStyleDeclaration): string {
  if (role === 'heading') { out.brk(2); out.prefix = '#'.repeat(Math.min(6, headingLevel(el))) + ' '; return 'para'; }
  if (role === 'listitem') { out.brk(1); out.prefix = '- '; return 'line'; }
  if (localName(el) === 'br') { out.brk(1); return ''; }
  if (role === 'paragraph' || role === 'blockquote' || localName(el) === 'pre') { out.brk(2); return 'para'; }
  if (/^(inline|contents)/.test(style.display)) return '';
  out.brk(1);
  return 'line';
}
const close = (out: Out, kind: string): void => out.brk(kind === 'para' ? 2 : 1);

/** A data table as Markdown rows; '' for one that only lays out. */
function tableText(el: Element): string {
  const t = table(el, 400);
  if (!t || (t.rows.length < 2 && !t.headers.length) || within(el, 'table').length) return '';
  const row = (cells: string[]): string => '| ' + cells.map((c) => c.replace(/\|/g, '/')).join(' | ') + ' |';
  const head = t.headers.length ? [row(t.headers), row(t.headers.map(() => '---'))] : [];
  return (t.caption ? t.caption + '\n' : '') + [...head, ...t.rows.map(row)].join('\n');
}

function table(el: Element, max: number): { caption: string; headers: string[]; rows: string[][] } | null {
  if (!(el instanceof HTMLTableElement)) return ariaTable(el, max);
  const rows: string[][] = [];
  let headers: string[] = [];
  for (const r of Array.from(el.rows).slice(0, max + 1)) {
    if (!visible(r)) continue;
    const cells = Array.from(r.cells).slice(0, 60), texts = cells.map((c) => clean(textOf(c, 400), 200));
    if (!headers.length && !rows.length && cells.length && cells.every((c) => c.localName === 'th')) headers = texts; else rows.push(texts);
  }
  return rows.length || headers.length ? { caption: el.caption ? clean(textOf(el.caption)) : '', headers, rows } : null;
}

function ariaTable(el: Element, max: number): { caption: string; headers: string[]; rows: string[][] } | null {
  const rows: string[][] = [];
  let headers: string[] = [];
  for (const r of within(el, '[role=row]').slice(0, max + 1)) {
    const heads = within(r, '[role=columnheader]'), cells = within(r, '[role=cell],[role=gridcell],[role=rowheader]');
    if (heads.length && !cells.length) headers = heads.map((c) => clean(textOf(c, 400), 200)); else if (cells.length) rows.push(cells.map((c) => clean(textOf(c, 400), 200)));
  }
  return rows.length ? { caption: nameOf(el), headers, rows } : null;
}

/** Tables, headings, images or links. */
export function extract(a: ReadOps['extract']['args']): ReadOps['extract']['answer'] {
  const limit = Math.min(a.limit ?? 100, 500), body = document.body ?? document.documentElement;
  const css = { tables: 'table,[role=table],[role=grid]', headings: 'h1,h2,h3,h4,h5,h6,[role=heading]', images: 'img,[role=img]', links: 'a[href],area[href]' }[a.type];
  if (!css) return { items: [], total: 0 };
  const all = within(body, css).slice(0, 5000).filter(visible);
  return { items: all.slice(0, limit).map((el) => piece(a.type, el)), total: all.length };
}

function piece(type: string, el: Element): ReadOps['extract']['answer']['items'][number] {
  const ref = knownRef(el), more = ref ? { ref } : {};
  if (type === 'tables') return { ...(table(el, 200) ?? {}), ...more };
  if (type === 'headings') return { level: headingLevel(el), text: nameOf(el), ...more };
  if (type === 'images') return { alt: nameOf(el), src: el instanceof HTMLImageElement ? clean(el.currentSrc || el.src, 300) : clean(attr(el, 'src'), 300), ...more };
  return { text: nameOf(el), href: el instanceof HTMLAnchorElement || el instanceof HTMLAreaElement ? clean(el.href, 500) : '', ...more };
}

export function selection(): ReadOps['selection']['answer'] {
  const s = getSelection(), t = s?.toString() ?? '';
  const at = s?.anchorNode?.parentElement, ref = at ? knownRef(at) : undefined;
  return { text: t.slice(0, 8000), total: t.length, ...(ref ? { ref } : {}) };
}
