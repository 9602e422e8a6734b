// The side panel: it shows the runs of the daemon and lets a person steer them. Read store.ts next.
import { render } from 'preact';
import { App } from './app';
import { draft } from './composer';
import { takePrompts } from './host';
import { start } from './store';
import '../shared/base.css';
import './panel.css';
import './parts.css';

takePrompts((text) => { draft.value = text; });
void start();
const root = document.getElementById('app');
if (root) render(<App />, root);
