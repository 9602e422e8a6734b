/**
 * What makes an element a target though nothing about it says so: a listener, as the driver or the page's framework
 * tells, and evidence such as its class. What is told comes from the page's world too: it may add a target, no more.
 */
import { attr, flatParent, has, isElement, learnedRoots, learnRoot, localName, root, shadow } from './dom';
import { isSVG } from './roles';

const listening = new WeakSet<Element>();
let told = false;

/** Takes in nodes that listen; those inside of a closed shadow root show where that is. */
export function hear(nodes: readonly unknown[]): void {
  told = true;
  for (const n of nodes) {
    if (!(n instanceof Node)) continue;
    const r = root(n);
    if (r instanceof ShadowRoot && r.mode === 'closed') learnRoot(r);
    if (isElement(n)) listening.add(n);
  }
}

/** Were listeners looked at in this document? Otherwise targets are found by evidence alone. */
export const knowsListeners = (): boolean => told;

let awaited = '', count = 0;
const mostPointed = 20000;

/** Waits for events of a name that nobody can guess, by which the page's world points at elements; '' ends it. */
export function pointed(name: string): void {
  if (awaited) for (const t of [window, ...learnedRoots()]) t.removeEventListener(awaited, take, true);
  awaited = name;
  count = 0;
  if (name) for (const t of [window, ...learnedRoots()]) t.addEventListener(name, take, true);
  told = true;
}

/** Asks the hook in the page's world, where there is one, to point at what listens. */
export function askHook(secret: string, name: string): void {
  pointed(name);
  dispatchEvent(new CustomEvent(secret, { detail: name }));
  pointed('');
}

function take(e: Event): void {
  e.stopImmediatePropagation();
  const at = e.composedPath()[0];
  if (at instanceof Element && count++ < mostPointed) listening.add(at);
}

const containers = new Set(['ul', 'ol', 'dl', 'table', 'tbody', 'thead', 'body', 'html', 'main', 'section', 'form', 'nav', 'aside', 'article', 'header', 'footer', 'fieldset', 'dialog']);
const rows = new Set(['li', 'tr', 'a', 'label', 'button', 'summary']);

/** Listens itself, for itself: what listens for the many in it is no target. */
export function listens(el: Element): boolean {
  return listening.has(el) && !delegates(el);
}

function delegates(el: Element): boolean {
  const tag = localName(el);
  if (rows.has(tag)) return false;
  if (containers.has(tag) || shadow(el)) return true;
  const kinds = new Map<string, number>();
  let n = 0;
  for (let c = el.firstElementChild; c && n < 60; c = c.nextElementSibling, n++) {
    const k = localName(c) + '.' + (attr(c, 'class') ?? '').split(' ')[0];
    const of = (kinds.get(k) ?? 0) + 1;
    kinds.set(k, of);
    if (of >= 3 && !isLeafShape(c)) return true;
  }
  if (tag !== 'svg' && el.querySelector('input:not([type=hidden]),select,textarea')) return true; // the field is the target
  let inner = 0, seen = 0;
  for (const d of el.querySelectorAll('*')) { if (++seen > 300) break; if (listening.has(d) && ++inner >= 3 && !isSVG(d)) return true; }
  return el.querySelectorAll('a[href],button,[role=button],[tabindex="0"]').length > 1;
}
/** Parts of a drawing: an icon has many and is one target. */
const isLeafShape = (el: Element): boolean => isSVG(el) && el.childElementCount === 0 && flatParent(el) !== null && localName(flatParent(el) as Element) === 'svg' && small(flatParent(el) as Element);
const small = (el: Element): boolean => { const r = el.getBoundingClientRect(); return r.width <= 64 && r.height <= 64; };

const telling = /(^|[\s_-])(btn|button|click(able)?|close|dismiss|handle|grip|drag(gable)?|resizer?|thumb|toggle|toggler|expand(er)?|collapse|arrow|caret|chevron|day|date|cell|tile|square|piece|card-action|swatch|star|dot|step|knob|slider|tab|chip|remove|delete|edit|option|node|bar|slice|marker|point)(s?)($|[\s_-])/i;
const moving = /^(pointer|move|grab|grabbing|[a-z]{1,4}-resize|col-resize|row-resize|cell|crosshair|zoom-in|zoom-out)$/;

/** A cursor that a person takes for an invitation. */
export const invites = (cursor: string): boolean => moving.test(cursor) && cursor !== 'crosshair' && cursor !== 'cell';

/** Its class says that it is for clicking, and something around it listens for it. */
export function classed(el: Element): boolean {
  if (!telling.test(attr(el, 'class') ?? '') && !has(el, 'data-action')) return false;
  for (let p = flatParent(el), i = 0; p && i < 3; p = flatParent(p), i++) if (listening.has(p) && delegates(p)) return true;
  return false;
}
