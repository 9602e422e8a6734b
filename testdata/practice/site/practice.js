// Small helpers of the practice pages: a form that is sent as JSON, a toast, and selects made of divs.
const inject = new URLSearchParams(location.search).get('inject') || 'normal';
const $ = (s, r = document) => r.querySelector(s);
function el(tag, props = {}, ...kids) { const e = Object.assign(document.createElement(tag), props); e.append(...kids); return e; }
function toast(text) { const t = el('div', { className: 'toast', role: 'status', textContent: text }); t.setAttribute('role', 'status'); document.body.append(t); setTimeout(() => t.remove(), 2600); }
async function post(form, record) {
  const r = await fetch('/api/' + form + '?inject=' + inject, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(record) });
  const body = await r.json();
  if (!r.ok) throw new Error(body.error || r.statusText);
  return body;
}
// A select of divs whose list is drawn at the end of the body, as component libraries do.
function popup(anchor, make) {
  document.querySelectorAll('.popup').forEach((p) => p.remove());
  const r = anchor.getBoundingClientRect(), p = el('div', { className: 'popup' });
  p.style.left = r.left + scrollX + 'px'; p.style.top = r.bottom + scrollY + 'px';
  make(p); document.body.append(p);
  const close = (e) => { if (!p.contains(e.target) && !anchor.contains(e.target)) { p.remove(); anchor.setAttribute('aria-expanded', 'false'); removeEventListener('mousedown', close, true); } };
  addEventListener('mousedown', close, true);
  anchor.setAttribute('aria-expanded', 'true');
  return p;
}
function divSelect(host, label, options, onPick) {
  host.className = 'select'; host.tabIndex = 0; host.textContent = 'Please choose';
  host.setAttribute('role', 'combobox'); host.setAttribute('aria-label', label); host.setAttribute('aria-haspopup', 'listbox'); host.setAttribute('aria-expanded', 'false');
  host.onclick = () => popup(host, (p) => {
    p.setAttribute('role', 'listbox'); p.setAttribute('aria-label', label);
    for (const o of options) { const d = el('div', { textContent: o }); d.setAttribute('role', 'option'); d.onclick = () => { host.textContent = o; onPick(o); p.remove(); host.setAttribute('aria-expanded', 'false'); }; p.append(d); }
  });
}
