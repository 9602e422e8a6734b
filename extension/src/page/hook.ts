/**
 * What runs in the page's own world, before its scripts, where there is no debugger to ask: it remembers which
 * elements listen, and points at them when it is asked by an event whose name only the driver knows. A page can
 * see it, and can lie through it: it adds targets, no more.
 */
(secret: string): void => {
  const heard = new WeakSet<EventTarget>(), roots: ShadowRoot[] = [];
  const pressing = /^(click|mousedown|mouseup|pointerdown|pointerup|touchstart|dblclick|dragstart)$/;
  const props = /^on(Click|MouseDown|MouseUp|PointerDown|PointerUp|TouchStart|DoubleClick|KeyDown)$/;
  const add = EventTarget.prototype.addEventListener, attach = Element.prototype.attachShadow, dispatch = EventTarget.prototype.dispatchEvent;
  const keys = Object.keys, symbols = Object.getOwnPropertySymbols;
  EventTarget.prototype.addEventListener = function (this: EventTarget, type: string, ...rest: [never, never?]): void {
    if (this instanceof Element && pressing.test(type)) heard.add(this);
    Reflect.apply(add, this, [type, ...rest]);
  };
  Element.prototype.attachShadow = function (this: Element, init: ShadowRootInit): ShadowRoot {
    const r: ShadowRoot = Reflect.apply(attach, this, [init]);
    if (roots.length < 2000) roots.push(r);
    return r;
  };
  const handled = (el: Element): boolean => {
    const bag = el as unknown as Record<string, Record<string, unknown>> & Record<symbol, Record<string, unknown> | undefined>;
    for (const k of keys(el)) {
      if (k.startsWith('__reactProps$')) { const p = bag[k]; for (const q in p) if (props.test(q) && typeof p[q] === 'function') return true; }
      else if (/^__(click|mousedown|pointerdown)$/.test(k)) return true;
    }
    return symbols(el).some((s) => s.description === 'events' && bag[s] && keys(bag[s] ?? {}).some((k) => pressing.test(k)));
  };
  Reflect.apply(add, window, [secret, (e: Event): void => {
    const name: unknown = e instanceof CustomEvent ? e.detail : null, end = performance.now() + 80;
    if (typeof name !== 'string') return;
    let n = 0;
    for (const r of [document, ...roots]) for (const el of r.querySelectorAll<HTMLElement>('*')) {
      if ((n++ & 255) === 0 && performance.now() > end) return;
      if (heard.has(el) || el.onclick || el.onmousedown || el.onpointerdown || handled(el)) Reflect.apply(dispatch, el, [new CustomEvent(name, { composed: r instanceof ShadowRoot && r.mode === 'open' })]);
    }
  }]);
};
