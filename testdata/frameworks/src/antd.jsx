import { Cascader, ConfigProvider, DatePicker, Select } from 'antd';
import { useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
const towns = ['Berlin', 'Bern', 'Bergen', 'Madrid', 'Oslo', 'Paris', 'Prague', 'Rome', 'Vienna', 'Warsaw'].map((value) => ({ value, label: value }));
const places = [{ value: 'guangdong', label: 'Guangdong', children: [{ value: 'guangzhou', label: 'Guangzhou' }, { value: 'shenzhen', label: 'Shenzhen' }] },
  { value: 'zhejiang', label: 'Zhejiang', children: [{ value: 'hangzhou', label: 'Hangzhou' }] }];
function App() {
  const [s, set] = useState({ town: null, tags: [], place: null, date: null });
  useEffect(() => { window.appState = s; }, [s]);
  const put = (k) => (v) => set((o) => ({ ...o, [k]: v }));
  return (
    <ConfigProvider theme={{ token: { motion: false } }}><main><h1>antd</h1>
      <p><label htmlFor="town">Town</label> <Select id="town" showSearch style={{ width: 200 }} options={towns} onChange={put('town')} /></p>
      <p><label htmlFor="tags">Tags</label> <Select id="tags" mode="multiple" style={{ width: 300 }} options={['red', 'green', 'blue'].map((value) => ({ value, label: value }))} onChange={put('tags')} /></p>
      <p><label htmlFor="place">Place</label> <Cascader id="place" style={{ width: 240 }} options={places} onChange={put('place')} /></p>
      <p><label htmlFor="date">Date</label> <DatePicker id="date" onChange={(_, t) => put('date')(t)} /></p>
    </main></ConfigProvider>
  );
}
createRoot(document.getElementById('app')).render(<App />);
