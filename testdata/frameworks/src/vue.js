import { createApp } from 'vue';
createApp({
  data: () => ({ items: [], text: '', filter: 'All', edit: -1, draft: '' }),
  computed: { shown() { return this.items.map((x, i) => ({ x, i })).filter(({ x }) => this.filter === 'All' || (this.filter === 'Done') === x.done); } },
  watch: { $data: { deep: true, immediate: true, handler(d) { window.appState = JSON.parse(JSON.stringify({ items: d.items, filter: d.filter })); } } },
  methods: {
    add() { if (this.text.trim()) this.items.push({ text: this.text.trim(), done: false }); this.text = ''; },
    save(i) { this.items[i].text = this.draft; this.edit = -1; },
  },
  template: `<main><h1>Tasks</h1>
    <form @submit.prevent="add"><label>New task <input v-model.lazy="text"></label><button>Add</button></form>
    <div role="group" aria-label="Filter"><button v-for="f in ['All','Active','Done']" :key="f" :aria-pressed="f === filter" @click="filter = f">{{f}}</button></div>
    <ul aria-label="Tasks"><li v-for="{x, i} in shown" :key="i"><input type="checkbox" :aria-label="'Complete ' + x.text" v-model="x.done">
      <form v-if="edit === i" @submit.prevent="save(i)"><input aria-label="Edit task" v-model="draft"><button>Save</button></form>
      <template v-else><span>{{x.text}}</span><span class="icon-edit" :title="'Edit ' + x.text" @click="edit = i; draft = x.text">✎</span></template></li></ul></main>`,
}).mount('#app');
