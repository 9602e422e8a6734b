// Errors that cross to the daemon with a code and a fix, as ports.Error has them.
export class Problem extends Error {
  constructor(readonly code: string, message: string, readonly fix = '') { super(message); }
}

// mayDrive says why a page cannot be driven, in words for a person, or nothing.
export function mayDrive(url: string): Problem | undefined {
  let u: URL;
  try { u = new URL(url); } catch { return new Problem('refused', 'the tab shows no page', 'open a web page in it'); }
  const closed = 'open a web page in the tab, or use another tab';
  if (u.protocol === 'file:') return new Problem('refused', 'wb does not drive files on this computer', closed);
  if (u.protocol === 'about:' && u.pathname === 'blank') return undefined;
  if (u.protocol !== 'http:' && u.protocol !== 'https:') return new Problem('refused', `wb cannot work on ${u.protocol}// pages: the browser keeps extensions out of its own`, closed);
  if (u.host === 'chromewebstore.google.com' || u.host === 'addons.mozilla.org' || (u.host === 'chrome.google.com' && u.pathname.startsWith('/webstore')))
    return new Problem('refused', 'the browser keeps extensions out of its store', closed);
  return undefined;
}
