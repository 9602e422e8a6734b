// What a person sees on a page while wb works in it: a border, and a button that stops the run. It is drawn in a closed
// shadow root by a content script: the page can neither read nor press it, and the page script passes it over.
import { api } from '../platform';

const tag = 'wb-edge'; // the page script knows it by this name (page/dom.ts)
const colour = '#c2410c';
const askEach = 2000; // ms between looks whether wb still works here
const shortly = 300; // ms until it is back after wb has pressed something or taken a picture
const atMost = 5000;

const world = globalThis as { wbEdge?: () => void };
world.wbEdge?.(); // of an earlier load of this file

export interface Words { stop: string; stopping: string }

const host = document.createElement(tag);
let timer: ReturnType<typeof setTimeout> | undefined;

async function ask(what: 'here?' | 'stop'): Promise<Words | null> {
  try { return await api?.runtime.sendMessage({ edge: what }) as Words | null; } catch { return null; } // the extension is gone
}

function styled(el: HTMLElement, css: string): void {
  for (const one of css.split(';')) { const [name = '', value = ''] = one.split(':'); if (name.trim()) el.style.setProperty(name.trim(), value.trim(), 'important'); }
}

function draw(words: Words): void {
  const root = host.attachShadow({ mode: 'closed' }), line = document.createElement('div'), stop = document.createElement('button');
  styled(host, 'all:initial;position:fixed;inset:0;z-index:2147483647;pointer-events:none;display:block');
  host.setAttribute('aria-hidden', 'true'); // the panel says the same, and has a Stop of its own
  styled(line, `position:absolute;inset:0;box-sizing:border-box;border:3px solid ${colour};pointer-events:none`);
  styled(stop, `position:absolute;right:12px;bottom:12px;pointer-events:auto;cursor:pointer;border:0;border-radius:6px;padding:8px 14px;background:${colour};color:#fff;font:600 14px/20px system-ui,sans-serif;box-shadow:0 2px 8px #0006`);
  stop.type = 'button';
  stop.tabIndex = -1; // the page's own order of keys stays as it is
  stop.textContent = words.stop;
  stop.addEventListener('click', (e) => {
    if (!e.isTrusted) return;
    stop.disabled = true;
    stop.textContent = words.stopping;
    void ask('stop');
  });
  root.append(line, stop);
}

const show = (on: boolean): void => styled(host, 'display:' + (on ? 'block' : 'none'));

// Out of the way of wb's own hand and eye, and back a moment later.
function aside(on: boolean): void {
  clearTimeout(timer);
  show(false);
  timer = setTimeout(() => show(true), on ? atMost : shortly);
}

function heard(m: unknown, _: unknown, reply: (v: unknown) => void): void {
  const edge = (m as { edge?: unknown } | null)?.edge;
  if (edge === 'aside' || edge === 'back') aside(edge === 'aside');
  else if (edge === 'over') over();
  else return;
  reply(true);
}

// A page that takes it away gets it back a few times; then the panel's Stop must do.
let given = 0;
const watch = new MutationObserver(() => { if (!host.isConnected && given++ < 5) document.documentElement.append(host); });
const asking = setInterval(() => void ask('here?').then((w) => { if (!w) over(); }), askEach);

function over(): void {
  clearInterval(asking);
  clearTimeout(timer);
  watch.disconnect();
  api?.runtime.onMessage.removeListener?.(heard);
  host.remove();
}

void ask('here?').then((words) => {
  if (!words) return over();
  world.wbEdge = over;
  draw(words);
  api?.runtime.onMessage.addListener(heard);
  document.documentElement.append(host);
  watch.observe(document.documentElement, { childList: true });
});
