import { LitElement, html } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
class TaskList extends LitElement {
  static properties = { items: { state: true }, filter: { state: true }, edit: { state: true } };
  constructor() { super(); this.items = []; this.filter = 'All'; this.edit = -1; }
  updated() { window.appState = { items: this.items, filter: this.filter }; }
  add(e) { e.preventDefault(); const i = this.renderRoot.querySelector('#new'), t = i.value.trim(); if (t) this.items = [...this.items, { text: t, done: false }]; i.value = ''; }
  change(i, p) { this.items = this.items.map((x, k) => (k === i ? { ...x, ...p } : x)); }
  save(e, i) { e.preventDefault(); this.change(i, { text: e.target.elements.t.value }); this.edit = -1; }
  render() {
    const shown = this.items.map((x, i) => ({ x, i })).filter(({ x }) => this.filter === 'All' || (this.filter === 'Done') === x.done);
    return html`<main><h1>Tasks</h1>
      <form @submit=${this.add}><label>New task <input id="new"></label><button>Add</button></form>
      <div role="group" aria-label="Filter">${['All', 'Active', 'Done'].map((f) => html`<button aria-pressed=${f === this.filter} @click=${() => { this.filter = f; }}>${f}</button>`)}</div>
      <ul aria-label="Tasks">${repeat(shown, ({ i }) => i, ({ x, i }) => html`<li><input type="checkbox" aria-label=${'Complete ' + x.text} .checked=${x.done} @change=${(e) => this.change(i, { done: e.target.checked })}>
        ${this.edit === i ? html`<form @submit=${(e) => this.save(e, i)}><input name="t" aria-label="Edit task" .value=${x.text}><button>Save</button></form>`
    : html`<span>${x.text}</span><span class="icon-edit" title=${'Edit ' + x.text} @click=${() => { this.edit = i; }}>✎</span>`}</li>`)}</ul></main>`;
  }
}
customElements.define('task-list', TaskList);
document.getElementById('app').append(document.createElement('task-list'));
