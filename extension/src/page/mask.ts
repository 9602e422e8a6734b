/** Boxes over secret fields while a picture is taken. */
import { rectOf, selectAll } from './dom';
import { isSecret } from './secret';
import { visible } from './visible';
import { quietly } from './watch';

let boxes: HTMLElement[] = [];

export function mask(): { masked: number } {
  unmask();
  const list = selectAll('input,textarea', 2000, performance.now() + 300).filter((e) => isSecret(e) && visible(e));
  quietly(() => {
    for (const el of list) {
      const r = rectOf(el), b = document.createElement('div');
      b.style.cssText = 'all:initial!important;position:absolute!important;z-index:2147483647!important;background:#000!important;pointer-events:none!important;' +
        `left:${r.left + scrollX}px!important;top:${r.top + scrollY}px!important;width:${r.width}px!important;height:${r.height}px!important`;
      document.documentElement.append(b);
      const got = rectOf(b); // a positioned root element moves it
      if (Math.abs(got.left - r.left) > 1 || Math.abs(got.top - r.top) > 1) {
        b.style.setProperty('left', 2 * r.left - got.left + scrollX + 'px', 'important');
        b.style.setProperty('top', 2 * r.top - got.top + scrollY + 'px', 'important');
      }
      if (typeof b.showPopover === 'function' && document.querySelector(':modal')) { b.popover = 'manual'; try { b.showPopover(); b.style.setProperty('position', 'fixed', 'important'); b.style.setProperty('left', r.left + 'px', 'important'); b.style.setProperty('top', r.top + 'px', 'important'); } catch { /* not in a document that shows */ } }
      boxes.push(b);
    }
  });
  return { masked: boxes.length };
}

export function unmask(): Record<never, never> {
  if (boxes.length) quietly(() => { for (const b of boxes) b.remove(); });
  boxes = [];
  return {};
}
