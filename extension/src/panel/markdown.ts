// Markdown of a model, which may repeat what a hostile page told it: marked makes HTML with every tag of the
// source taken as text, DOMPurify keeps a short list of elements, and links say where they really lead.
import { Marked, type Tokens } from 'marked';
import DOMPurify from 'dompurify';
import { t } from '../shared/i18n';

const longest = 60_000; // characters of one block; beyond that it is shown as plain text

const tags = ['p', 'br', 'hr', 'strong', 'em', 'del', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'span', 'sub', 'sup'];
const clean = { ALLOWED_TAGS: tags, ALLOWED_ATTR: ['href', 'align', 'start', 'class'], ALLOW_DATA_ATTR: false, ALLOW_ARIA_ATTR: false, RETURN_DOM_FRAGMENT: true as const };

const escape = (s: string) => s.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

const marked = new Marked({
  gfm: true, breaks: true, async: false,
  extensions: [{ name: 'tex', level: 'inline', start: (s: string) => s.indexOf('$'), tokenizer: tex, renderer: (k) => `<span class="tex${k.display ? ' display' : ''}">${escape(String(k.text))}</span>` }],
  renderer: {
    html: (k: Tokens.HTML | Tokens.Tag) => escape(k.text),
    image: (k: Tokens.Image) => `<span class="picture">${escape(t('md.picture', { alt: k.text || k.href.slice(0, 80) }))}</span>`,
    checkbox: (k: Tokens.Checkbox) => (k.checked ? '☑ ' : '☐ '),
  },
});

// tex finds $$…$$ and $…$ that look like formulas and not like two prices.
function tex(src: string) {
  const m = /^\$\$([^$]{1,2000})\$\$/.exec(src) ?? /^\$(?![\s\d])([^$\n]{1,300}?)(?<![\s\\])\$(?!\d)/.exec(src);
  return m ? { type: 'tex', raw: m[0], text: m[1] ?? '', display: m[0].startsWith('$$') } : undefined;
}

// blocks cuts a growing text where a paragraph surely ends, so that only the last piece changes while it
// streams. Fences and lists stay whole; the pieces joined by blank lines are the text.
export function blocks(text: string): string[] {
  const out: string[] = [];
  let from = 0, fence = '', at = 0;
  while (at < text.length) {
    let end = text.indexOf('\n', at);
    if (end < 0) end = text.length;
    const row = text.slice(at, Math.min(end, at + 200));
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(row)?.[1] ?? '';
    if (mark && !fence) fence = mark;
    else if (mark && mark.startsWith(fence)) fence = '';
    if (!fence && row.trim() === '' && at > from && /^[^\s\-*+>|\d$]/.test(text.slice(end + 1, end + 2))) {
      out.push(text.slice(from, at));
      from = end + 1;
    }
    at = end + 1;
  }
  if (from < text.length) out.push(text.slice(from));
  return out;
}

// render makes the nodes of one block. Formulas are spans of class tex, for math.ts.
export function render(text: string): DocumentFragment {
  if (text.length > longest) return plain(text);
  let html: string;
  try { html = marked.parse(text) as string; } catch { return plain(text); }
  const f = DOMPurify.sanitize(html, clean) as unknown as DocumentFragment;
  for (const e of f.querySelectorAll('[class]')) if (!/^(tex( display)?|picture|language-[\w-]{1,20})$/.test(e.className)) e.removeAttribute('class');
  for (const a of f.querySelectorAll('a')) honest(a);
  for (const e of f.querySelectorAll('p, ul, ol, h1, h2, h3, h4, h5, h6, td, th, blockquote')) e.setAttribute('dir', 'auto');
  for (const e of f.querySelectorAll('pre')) { e.tabIndex = 0; e.dir = 'ltr'; }
  for (const e of f.querySelectorAll('table')) { const box = document.createElement('div'); box.className = 'scroll'; box.tabIndex = 0; e.replaceWith(box); box.append(e); }
  return f;
}

function plain(text: string): DocumentFragment {
  const f = document.createDocumentFragment(), p = document.createElement('p');
  p.className = 'plain';
  p.textContent = text;
  f.append(p);
  return f;
}

// honest lets a link lead only to the web or a mailbox, in a tab of its own, and writes its real host beside it.
function honest(a: HTMLAnchorElement): void {
  const where = target(a.getAttribute('href') ?? '');
  if (!where) {
    const span = document.createElement('span');
    span.append(...a.childNodes);
    a.replaceWith(span);
    return;
  }
  a.href = where.href;
  a.target = '_blank';
  a.rel = 'noreferrer noopener';
  const host = where.protocol === 'mailto:' ? where.pathname : where.host;
  a.title = t('link.opens', { host });
  if (a.textContent?.trim() === host) return;
  const shown = document.createElement('span');
  shown.className = 'host';
  shown.dir = 'ltr';
  shown.textContent = host;
  a.after(' ', shown);
}

function target(href: string): URL | null {
  let u: URL;
  try { u = new URL(href); } catch { return null; }
  return u.protocol === 'https:' || u.protocol === 'http:' || u.protocol === 'mailto:' ? u : null;
}
