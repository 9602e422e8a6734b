import flatpickr from 'flatpickr';
import 'flatpickr/dist/flatpickr.min.css';
const state = (window.appState = { date: '', range: '' });
document.getElementById('app').innerHTML = '<main><h1>flatpickr</h1><label for="d">Date</label> <input id="d"> <label for="r">Period</label> <input id="r"></main>';
flatpickr('#d', { defaultDate: '2026-11-02', onChange: (_, t) => { state.date = t; } });
flatpickr('#r', { mode: 'range', defaultDate: ['2026-11-02', '2026-11-03'], onChange: (_, t) => { state.range = t; } });
