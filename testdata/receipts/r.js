// What the page really knows: tests read it in the page's own world, never through wb.
window.state = { n: 0, log: [] };
const $ = (id) => document.getElementById(id);
const out = (text) => { let o = $('out'); if (!o) { o = document.createElement('p'); o.id = 'out'; document.body.append(o); } o.textContent = text; };
const hit = (text) => { state.n++; state.log.push(text || 'hit'); out('Saved ' + state.n); };
