// "Ask wb …" in the browser's context menu: what was chosen waits in storage.session until the panel takes it.
import type { Api, MenuClick } from '../platform';
import de from '../shared/locales/de';
import en from '../shared/locales/en';

const longest = 4000; // characters of a selection

const words = (): typeof en => (navigator.language.toLowerCase().startsWith('de') ? de : en);

// listenToMenus must be called while the background's file runs.
export function listenToMenus(a: Api): void {
  const menus = a.contextMenus;
  if (!menus) return;
  a.runtime.onInstalled.addListener(() => void menus.removeAll().then(() => {
    const w = words();
    for (const [id, title] of [['selection', w['menu.selection']], ['link', w['menu.link']], ['image', w['menu.image']], ['page', w['menu.page']]] as const)
      menus.create({ id, title, contexts: [id] });
  }));
  menus.onClicked.addListener((i, t) => {
    if (a.sidePanel && t) void a.sidePanel.open({ windowId: t.windowId }); // first: only a gesture opens it
    else void a.sidebarAction?.open();
    void a.storage.session.set({ prompt: { text: prompt(i), at: Date.now() } });
  });
}

// prompt is what the person is about to say. It is put into the box, not sent.
function prompt(i: MenuClick): string {
  const w = words();
  switch (i.menuItemId) {
    case 'selection': return `${w['menu.selection.text']}\n\n“${(i.selectionText ?? '').slice(0, longest)}”`;
    case 'link': return `${w['menu.link.text']} ${i.linkUrl ?? ''}`;
    case 'image': return `${w['menu.image.text']} ${i.srcUrl ?? ''}`;
    default: return w['menu.page.text'];
  }
}
