/**
 * The DOM through getters that were captured when the script started. A form can shadow any property of
 * itself, in an isolated world too, so whatever may be a form is read through these.
 */
import { reveal } from './reveal';

type Get<T, R> = (of: T) => R;

function getter<T, R>(proto: object, key: string): Get<T, R> {
  const get = Object.getOwnPropertyDescriptor(proto, key)?.get;
  if (!get) throw new Error('no getter ' + key);
  return (of) => get.call(of);
}

const N = Node.prototype, E = Element.prototype, H = HTMLElement.prototype;

export const parentNode = getter<Node, Node | null>(N, 'parentNode');
export const firstChild = getter<Node, Node | null>(N, 'firstChild');
export const nextSibling = getter<Node, Node | null>(N, 'nextSibling');
export const previousSibling = getter<Element, Element | null>(E, 'previousElementSibling');
export const textContent = getter<Node, string | null>(N, 'textContent');
export const isConnected = getter<Node, boolean>(N, 'isConnected');
export const localName = getter<Element, string>(E, 'localName');
export const openRoot = getter<Element, ShadowRoot | null>(E, 'shadowRoot');
export const slotOf = getter<Element, HTMLSlotElement | null>(E, 'assignedSlot');
export const children = getter<Element, HTMLCollection>(E, 'children');
export const idOf = getter<Element, string>(E, 'id');
export const namespace = getter<Element, string | null>(E, 'namespaceURI');
export const scrollTop = getter<Element, number>(E, 'scrollTop');
export const scrollLeft = getter<Element, number>(E, 'scrollLeft');
export const scrollHeight = getter<Element, number>(E, 'scrollHeight');
export const scrollWidth = getter<Element, number>(E, 'scrollWidth');
export const clientHeight = getter<Element, number>(E, 'clientHeight');
export const clientWidth = getter<Element, number>(E, 'clientWidth');
export const contentEditable = getter<HTMLElement, boolean>(H, 'isContentEditable');
export const formAction = getter<HTMLFormElement, string>(HTMLFormElement.prototype, 'action');
export const formMethod = getter<HTMLFormElement, string>(HTMLFormElement.prototype, 'method');
export const formTarget = getter<HTMLFormElement, string>(HTMLFormElement.prototype, 'target');
export const formElements = getter<HTMLFormElement, HTMLFormControlsCollection>(HTMLFormElement.prototype, 'elements');

const getAttribute = E.getAttribute, hasAttribute = E.hasAttribute, getRect = E.getBoundingClientRect;
const matchesOf = E.matches, closestOf = E.closest, queryAll = E.querySelectorAll, scrollInto = E.scrollIntoView;
const rootOf = N.getRootNode, containsOf = N.contains, compareOf = N.compareDocumentPosition, focusOf = H.focus, clickOf = H.click, blurOf = H.blur;

/** An attribute, null if absent, cut at 100,000. */
export const attr = (el: Element, name: string): string | null => {
  const v = getAttribute.call(el, name);
  return v !== null && v.length > 100000 ? v.slice(0, 100000) : v;
};
export const has = (el: Element, name: string): boolean => hasAttribute.call(el, name);
export const rectOf = (el: Element): DOMRect => getRect.call(el);
export const matches = (el: Element, css: string): boolean => matchesOf.call(el, css);
export const closest = (el: Element, css: string): Element | null => closestOf.call(el, css);
export const within = (el: Element, css: string): Element[] => Array.from(queryAll.call(el, css));
export const scrollIntoView = (el: Element, o: ScrollIntoViewOptions): void => scrollInto.call(el, o);
const scrollToOf: (this: Element, o: ScrollToOptions) => void = E.scrollTo;
export const scrollTo = (el: Element, o: ScrollToOptions): void => scrollToOf.call(el, o);
export const root = (el: Node): Node => rootOf.call(el);
export const contains = (a: Node, b: Node | null): boolean => containsOf.call(a, b);
export const compare = (a: Node, b: Node): number => compareOf.call(a, b);
export const focus = (el: HTMLElement): void => focusOf.call(el, { preventScroll: true });
export const click = (el: HTMLElement): void => clickOf.call(el);
export const blur = (el: HTMLElement): void => blurOf.call(el);

export const isElement = (n: Node | null): n is Element => n instanceof Element;
export const isHTML = (n: Node | null): n is HTMLElement => n instanceof HTMLElement;

/**
 * What shows that wb works on the page (src/edge) is not the page's. A page that names something of its own so hides
 * from wb what a person sees, as it can with any picture.
 */
export const isEdge = (n: Node): boolean => isElement(n) && localName(n) === 'wb-edge';
/** Closed shadow roots that the driver showed us. */
const closedRoots = new WeakMap<Element, ShadowRoot>();
const learned = new Set<ShadowRoot>();
export const learnRoot = (r: Node): void => { if (r instanceof ShadowRoot && r.mode === 'closed' && !isEdge(r.host)) { closedRoots.set(r.host, r); learned.add(r); } };
/** Those that are in the document still. */
export function learnedRoots(): ShadowRoot[] {
  for (const r of learned) if (!r.isConnected) learned.delete(r);
  return Array.from(learned);
}
export const shadow = (el: Element): ShadowRoot | null => openRoot(el) ?? closedRoots.get(el) ?? null;

/** The parent in the flat tree: slots and hosts included. */
export function flatParent(n: Node): Element | null {
  if (isElement(n)) {
    const slot = slotOf(n);
    if (slot) return slot;
  }
  const p = parentNode(n);
  if (p instanceof ShadowRoot) return p.host;
  return isElement(p) ? p : null;
}

/** The children in the flat tree, in order. */
export function flatChildren(el: Element): Node[] {
  if (el instanceof HTMLSlotElement) {
    const given = el.assignedNodes({ flatten: true });
    if (given.length) return given;
  }
  const out: Node[] = [];
  for (let n = firstChild(shadow(el) ?? el); n; n = nextSibling(n)) out.push(n);
  return out;
}

/** Is b in the flat subtree of a, or a itself? */
export function flatContains(a: Element, b: Node | null): boolean {
  for (let n: Node | null = b, i = 0; n && i < 20000; n = flatParent(n), i++) if (n === a) return true;
  return false;
}

/** The element with an id, in the same tree as el. */
export function byId(el: Element, id: string): Element | null {
  const r = root(el);
  return r instanceof Document || r instanceof ShadowRoot ? r.getElementById(id) : null;
}

/** Runs visit for each element of the document's flat tree, without recursion, until it answers false or time is up. */
export function eachElement(start: Element, visit: (el: Element) => boolean | void, until = Infinity): boolean {
  const stack: Element[] = [start];
  for (let i = 0; stack.length; i++) {
    if ((i & 127) === 0 && performance.now() > until) return false;
    const el = stack.pop();
    if (!el || visit(el) === false) continue;
    const kids = flatChildren(el);
    for (let k = kids.length - 1; k >= 0; k--) { const n = kids[k]; if (n && isElement(n)) stack.push(n); }
  }
  return true;
}

/** Elements by CSS in the document and its shadow roots; an invalid selector throws. */
export function selectAll(css: string, cap: number, until = Infinity): Element[] {
  const out: Element[] = [];
  const roots: Array<Document | ShadowRoot> = [document];
  for (let i = 0; i < roots.length && out.length < cap && performance.now() < until; i++) {
    const r = roots[i];
    if (!r) break;
    for (const el of r.querySelectorAll(css)) { if (out.length >= cap) break; out.push(el); }
    for (const el of r.querySelectorAll('*')) { const s = shadow(el); if (s) roots.push(s); }
  }
  return out;
}

const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
/** One line, trimmed, cut; control characters become spaces, unseen ones are shown. */
export function clean(s: string | null | undefined, max = 120): string {
  if (!s) return '';
  const t = (s.length > max * 20 ? s.slice(0, max * 20) : s).replace(controls, ' ').replace(/[^\S\ufeff]+/g, ' ').replace(/^ | $/g, '');
  const r = reveal(t);
  return r.length > max ? r.slice(0, max - 1) + '…' : r;
}
/** Page text cannot pose as a ref. */
export const inert = (s: string): string => s.replace(/\[((?:f\d+)?e\d+)\]/g, '($1)');
export const quote = (s: string): string => '"' + inert(s.replace(/"/g, "'")) + '"';

/** An error that crosses the wire as {code, message, fix}. */
export class Refusal extends Error {
  constructor(readonly code: string, message: string, readonly fix = '', readonly more: object = {}) { super(message); }
}
