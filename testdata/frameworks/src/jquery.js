import $ from 'jquery';
const state = (window.appState = { items: [], filter: 'All' });
let edit = -1;
$('#app').html('<main><h1>Tasks</h1><form id="f"><label>New task <input id="new"></label><button>Add</button></form><div role="group" aria-label="Filter" id="filter"></div><ul aria-label="Tasks" id="list"></ul></main>');
function draw() {
  $('#filter').html(['All', 'Active', 'Done'].map((f) => `<button aria-pressed="${f === state.filter}">${f}</button>`).join(''));
  $('#list').empty();
  state.items.forEach((x, i) => {
    if (state.filter !== 'All' && (state.filter === 'Done') !== x.done) return;
    const li = $('<li>').data('i', i), box = $('<input type="checkbox">').attr('aria-label', 'Complete ' + x.text).prop('checked', x.done);
    li.append(box, ' ');
    if (edit === i) li.append($('<form>').append($('<input aria-label="Edit task">').val(x.text), '<button>Save</button>'));
    else li.append($('<span>').text(x.text), $('<span class="icon-edit">✎</span>').attr('title', 'Edit ' + x.text).css('cursor', 'pointer'));
    $('#list').append(li);
  });
}
// Everything is delegated to the containers, as jQuery pages do.
$('#f').on('submit', (e) => { e.preventDefault(); const t = $('#new').val().trim(); if (t) state.items.push({ text: t, done: false }); $('#new').val(''); draw(); });
$('#filter').on('click', 'button', (e) => { state.filter = $(e.currentTarget).text(); draw(); });
const index = (e) => $(e.currentTarget).closest('li').data('i');
$('#list').on('change', 'input[type=checkbox]', (e) => { state.items[index(e)].done = e.currentTarget.checked; draw(); })
  .on('click', '.icon-edit', (e) => { edit = index(e); draw(); })
  .on('submit', 'form', (e) => { e.preventDefault(); state.items[index(e)].text = $(e.currentTarget).find('input').val(); edit = -1; draw(); });
draw();
