import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import Select from 'react-select';
import Creatable from 'react-select/creatable';
const towns = ['Berlin', 'Bern', 'Bergen', 'Madrid', 'Oslo'].map((value) => ({ value, label: value }));
function App() {
  const [s, set] = useState({ town: null, tags: [], made: null });
  useEffect(() => { window.appState = s; }, [s]);
  const put = (k, v) => set((o) => ({ ...o, [k]: v }));
  return (
    <main style={{ width: 320 }}><h1>react-select</h1>
      <label htmlFor="town">Town</label><Select inputId="town" options={towns} onChange={(v) => put('town', v?.value ?? null)} />
      <label htmlFor="tags">Tags</label><Select inputId="tags" isMulti menuPortalTarget={document.body} options={['red', 'green', 'blue'].map((value) => ({ value, label: value }))} onChange={(v) => put('tags', v.map((x) => x.value))} />
      <label htmlFor="made">Brand</label><Creatable inputId="made" options={[{ value: 'Acme', label: 'Acme' }]} onChange={(v) => put('made', v?.value ?? null)} />
    </main>
  );
}
createRoot(document.getElementById('app')).render(<App />);
