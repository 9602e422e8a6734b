import { Autocomplete, Checkbox, FormControl, FormControlLabel, InputLabel, MenuItem, Select, Slider, Switch, TextField } from '@mui/material';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
function App() {
  const [s, set] = useState({ size: '', town: null, tags: [], volume: 30, news: false, dark: false, name: '' });
  useEffect(() => { window.appState = s; }, [s]);
  const put = (k, v) => set((o) => ({ ...o, [k]: v }));
  return (
    <main><h1>MUI</h1>
      <TextField label="Name" value={s.name} onChange={(e) => put('name', e.target.value)} sx={{ m: 1 }} />
      <FormControl sx={{ m: 1, minWidth: 160 }}><InputLabel id="l">Size</InputLabel><Select labelId="l" label="Size" value={s.size} onChange={(e) => put('size', e.target.value)}>{['Small', 'Medium', 'Large'].map((x) => <MenuItem key={x} value={x}>{x}</MenuItem>)}</Select></FormControl>
      <Autocomplete sx={{ m: 1, width: 240 }} options={['Berlin', 'Bern', 'Bergen', 'Madrid']} onChange={(_, v) => put('town', v)} renderInput={(p) => <TextField {...p} label="Town" />} />
      <Autocomplete multiple sx={{ m: 1, width: 300 }} options={['red', 'green', 'blue']} onChange={(_, v) => put('tags', v)} renderInput={(p) => <TextField {...p} label="Tags" />} />
      <div style={{ width: 240, margin: 16 }}><Slider aria-label="Volume" value={s.volume} onChange={(_, v) => put('volume', v)} /></div>
      <FormControlLabel control={<Checkbox checked={s.news} onChange={(e) => put('news', e.target.checked)} />} label="Newsletter" />
      <FormControlLabel control={<Switch checked={s.dark} onChange={(e) => put('dark', e.target.checked)} />} label="Dark" />
    </main>
  );
}
createRoot(document.getElementById('app')).render(<App />);
