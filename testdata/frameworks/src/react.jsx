import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
function App() {
  const [items, setItems] = useState([]), [text, setText] = useState(''), [filter, setFilter] = useState('All'), [edit, setEdit] = useState(null);
  useEffect(() => { window.appState = { items, filter }; }, [items, filter]);
  const add = (e) => { e.preventDefault(); if (!text.trim()) return; setItems([...items, { text: text.trim(), done: false }]); setText(''); };
  const change = (i, p) => setItems(items.map((x, k) => (k === i ? { ...x, ...p } : x)));
  return (
    <main><h1>Tasks</h1>
      <form onSubmit={add}><label>New task <input value={text} onChange={(e) => setText(e.target.value)} /></label><button>Add</button></form>
      <div role="group" aria-label="Filter">{['All', 'Active', 'Done'].map((f) => <button key={f} aria-pressed={f === filter} onPointerDown={() => setFilter(f)}>{f}</button>)}</div>
      <ul aria-label="Tasks">{items.map((x, i) => (filter === 'All' || (filter === 'Done') === x.done) && (
        <li key={i}><input type="checkbox" aria-label={'Complete ' + x.text} checked={x.done} onChange={(e) => change(i, { done: e.target.checked })} />
          {edit === i ? <form onSubmit={(e) => { e.preventDefault(); change(i, { text: e.target.elements.t.value }); setEdit(null); }}><input name="t" aria-label="Edit task" defaultValue={x.text} /><button>Save</button></form>
            : <><span>{x.text}</span><span className="icon-edit" title={'Edit ' + x.text} onClick={() => setEdit(i)}>✎</span></>}</li>))}</ul>
    </main>
  );
}
createRoot(document.getElementById('app')).render(<App />);
