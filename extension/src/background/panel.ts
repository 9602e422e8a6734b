// Opens the panel, and hears from it that there is a pairing now.
import type { Api } from '../platform';

export function listenToPanel(a: Api, paired: () => void): void {
  a.action.onClicked.addListener((t) => {
    if (a.sidePanel) void a.sidePanel.open({ windowId: t.windowId });
    else void a.sidebarAction?.toggle();
  });
  a.runtime.onMessage.addListener((m, from) => {
    // Only the extension's own pages: a content script has a tab and a web address.
    if (from.id !== a.runtime.id || !from.url?.startsWith(a.runtime.getURL(''))) return;
    if ((m as { kind?: unknown } | null)?.kind === 'paired') paired();
  });
}
