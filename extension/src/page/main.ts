/**
 * The page script: one hidden global with one function, `call`, that a driver asks for everything.
 *
 * It runs in an isolated world, or as a content script, of every frame. It talks to nobody, keeps nothing
 * but refs and baselines, and answers JSON texts. Read ops.ts for what can be asked.
 */
import { attach } from './attach';
import { names } from './audit';
import { clean, eachElement, isElement, learnRoot, localName, Refusal, shadow } from './dom';
import { around, factsOf } from './facts';
import { blurOf, check as setChecked, clickOn, fill, focusOn, hoverOver, select, selectAllOf } from './fill';
import { check } from './expect';
import { find, findText, selector } from './find';
import { askHook, hear, pointed } from './hints';
import { mask, unmask } from './mask';
import { begin, maxRef, refOf, resolve } from './refs';
import { at, focused, point, scroll, viewport } from './scroll';
import { keys } from './keys';
import { baseline, late, settle } from './settle';
import { state } from './state';
import { extract, selection, text } from './text';
import { snapshot } from './walk';
import { waitFor } from './wait';
import { start } from './watch';
import type { ActOps, Answer, Failure, ReadOps, Where } from './ops';

type Reads = { [K in keyof ReadOps]: (a: ReadOps[K]['args']) => ReadOps[K]['answer'] | Promise<ReadOps[K]['answer']> };
type Acts = { [K in keyof ActOps]: (a: ActOps[K]['args']) => ActOps[K]['answer'] };

const reads: Reads = {
  snapshot, text, find, around: (a) => around(resolve(a.ref), a.other === undefined ? null : resolve(a.other)), selector, extract, selection, element: (a) => factsOf(resolve(a.ref)), point, at, focus: focused, window: viewport, state, baseline, late, settle, check, waitFor, names, maxRef: () => ({ maxRef: maxRef() }),
};
const acts: Acts = { fill, selectAll: selectAllOf, click: clickOn, hover: hoverOver, keys, check: setChecked, select, focus: focusOn, blur: blurOf, scroll, findText, mask, unmask, attach };

function failure(e: unknown): Failure {
  if (e instanceof Refusal) return { code: e.code, message: e.message, ...(e.fix ? { fix: e.fix } : {}), ...e.more };
  return { code: 'crashed', message: 'page script: ' + clean(e instanceof Error ? e.message : String(e), 200), fix: 'take a new snapshot and try again' };
}

/** Finds the operation without looking into prototypes, which names from outside must not reach. */
function pick(kind: string, op: string): ((a: never) => unknown) | undefined {
  const table: object = kind === 'read' ? reads : kind === 'act' ? acts : {};
  const f: unknown = Object.getOwnPropertyDescriptor(table, op)?.value;
  return typeof f === 'function' ? (a: never) => Reflect.apply(f, undefined, [a]) : undefined;
}

/** The one entrance: JSON text in, JSON text out, never a rejection. */
async function call(kind: string, op: string, args: string, where: Where): Promise<string> {
  let a: Answer;
  try {
    begin(where);
    start();
    const f = pick(kind, op);
    if (!f) throw new Refusal('unknown_tool', 'the page script has no ' + clean(kind, 10) + ' operation ' + clean(op, 40), 'see ops.ts for the list');
    const parsed: unknown = JSON.parse(args || '{}') ?? {};
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw new Refusal('invalid_args', 'arguments must be an object', '');
    const ok = await Reflect.apply(f, undefined, [parsed]);
    a = { ok, maxRef: maxRef() };
  } catch (e) {
    a = { error: failure(e), maxRef: maxRef() };
  }
  return JSON.stringify(a);
}

/** For drivers that hold nodes: the ref of a node, and closed shadow roots to look into. */
function refOfNode(n: unknown, where: Where): string {
  begin(where);
  return n instanceof Node && isElement(n) ? refOf(n) : '';
}
function node(ref: string): Element { return resolve(ref); }
function learn(n: unknown): void { if (n instanceof Node) learnRoot(n); }

/** Elements that may hold a closed shadow root: they draw something, and nothing in them says what. */
function hosts(): Element[] {
  const out: Element[] = [];
  eachElement(document.documentElement, (el) => {
    if (out.length < 60 && mayHost(el)) out.push(el);
  }, performance.now() + 60);
  return out;
}
/** The shadow roots that are known, open and closed. */
function roots(): ShadowRoot[] {
  const out: ShadowRoot[] = [];
  eachElement(document.documentElement, (el) => { const r = shadow(el); if (r && out.length < 60) out.push(r); }, performance.now() + 60);
  return out;
}
const hostTags = new Set(['div', 'span', 'section', 'article', 'aside', 'main', 'nav', 'p', 'header', 'footer']);
function mayHost(el: Element): boolean {
  const tag = localName(el);
  if (shadow(el) || (!tag.includes('-') && (!hostTags.has(tag) || el.firstChild))) return false;
  const r = el.getBoundingClientRect();
  return r.width > 0 && r.height > 0;
}

const name = '__wb';
if (!Object.hasOwn(globalThis, name)) {
  Object.defineProperty(globalThis, name, { value: Object.freeze({ call, refOfNode, node, learn, learnAll: (list: unknown[]): void => list.forEach(learn), hear, hosts, roots, pointed, askHook }), enumerable: false, configurable: false, writable: false });
  start();
}
