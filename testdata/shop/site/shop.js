'use strict';
const $ = (s) => document.querySelector(s);
const form = $('#order form'), dialog = $('#order');

async function refresh() {
  const orders = await (await fetch('api/orders')).json();
  $('#orders tbody').replaceChildren(...orders.map((o) => {
    const tr = document.createElement('tr');
    for (const v of [o.id, o.name, o.product, o.quantity, o.delivery, o.date]) tr.insertCell().textContent = v;
    return tr;
  }));
}

function reset() {
  form.reset();
  $('#product-v').textContent = 'Choose…';
  $('#qty').value = '1';
  $('.switch').setAttribute('aria-checked', 'false');
  $('.note').textContent = '';
  $('#problem').hidden = true;
  expand(false);
}

function expand(on) {
  $('.combo').setAttribute('aria-expanded', String(on));
  $('#product-list').hidden = !on;
}

$('#new').onclick = () => { reset(); dialog.showModal(); };
$('#cancel').onclick = () => dialog.close();
$('.combo').onclick = () => expand($('#product-list').hidden);
$('.combo').onkeydown = (e) => { if (e.key === 'Enter' || e.key === ' ') { e.preventDefault(); expand($('#product-list').hidden); } };
for (const li of document.querySelectorAll('[role=option]')) li.onclick = () => { $('#product-v').textContent = li.textContent; expand(false); };
const step = (by) => () => { $('#qty').value = String(Math.min(99, Math.max(1, Number($('#qty').value) + by))); };
$('.less').onclick = step(-1);
$('.more').onclick = step(1);
$('.switch').onclick = (e) => e.currentTarget.setAttribute('aria-checked', String(e.currentTarget.getAttribute('aria-checked') !== 'true'));

form.onsubmit = async (e) => {
  e.preventDefault();
  const product = $('#product-v').textContent;
  const order = { name: form.name.value, email: form.email.value, product: product === 'Choose…' ? '' : product, delivery: form.delivery.value,
    date: form.date.value, quantity: Number($('#qty').value), gift: form.gift.checked, express: $('.switch').getAttribute('aria-checked') === 'true', note: $('.note').textContent };
  const res = await fetch('api/orders', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(order) });
  const body = await res.json();
  if (!res.ok) { $('#problem').textContent = body.error; $('#problem').hidden = false; return; }
  dialog.close();
  await refresh();
  $('#toast').textContent = `Order ${body.id} saved`;
  $('#toast').hidden = false;
};

refresh();
