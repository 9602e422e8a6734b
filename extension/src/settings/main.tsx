// The settings page: what the daemon keeps, shown and changed over the same line as the panel's. It stores nothing
// itself. Read store.ts next.
import { render } from 'preact';
import { App } from './app';
import { start } from './store';
import '../shared/base.css';
import './settings.css';

start();
const root = document.getElementById('app');
if (root) render(<App />, root);
