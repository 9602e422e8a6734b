import { t, type Key } from '../shared/i18n';
import { Banner, Warnings } from './banner';
import { Composer } from './composer';
import { Conversation } from './conversation';
import { Drawer } from './drawer';
import { openSettings } from './host';
import { Icon } from './icons';
import { drawer, newSession, session, verbose, view, waiting } from './store';

const levels: Key[] = ['app.verbose0', 'app.verbose1', 'app.verbose2'];

// App is the whole panel, top to bottom.
export function App() {
  return (
    <>
      <Top />
      <Banner />
      <Warnings />
      <Conversation />
      <Status />
      <Composer />
      <Drawer />
    </>
  );
}

function Top() {
  const detail = t('app.verbose', { level: t(levels[verbose.value] ?? 'app.verbose1') });
  return (
    <header class="top">
      <button class="quiet square" type="button" aria-label={t('app.sessions')} title={t('app.sessions')} onClick={() => { drawer.value = true; }}><Icon name="menu" /></button>
      <h1 dir="auto">{session.value?.title || view.value.turns[0]?.question || t('app.name')}</h1>
      <button class="quiet square level" type="button" data-level={verbose.value} aria-label={detail} title={detail} onClick={() => { verbose.value = (verbose.value + 1) % levels.length; }}><Icon name="detail" /></button>
      <button class="quiet square" type="button" aria-label={t('app.settings')} title={t('app.settings')} onClick={() => openSettings()}><Icon name="gear" /></button>
      <button class="quiet square" type="button" aria-label={t('app.new')} title={t('app.new')} onClick={() => void newSession()}><Icon name="plus" /></button>
    </header>
  );
}

// Status tells a screen reader what goes on, at each change of it and not at each word of an answer.
function Status() {
  return <p class="hidden" role="status">{now()}</p>;
}

const endings: Record<string, Key> = { success: 'end.success', partial: 'end.partial', refused: 'end.refused', needs_user: 'end.needs_user', stopped: 'end.stopped' };

function now(): string {
  const turns = view.value.turns, turn = turns[turns.length - 1];
  if (!turn) return '';
  if (waiting.value) return t('ask.waiting');
  if (turn.end) return t(endings[turn.end.status] ?? 'end.failed');
  const last = turn.items[turn.items.length - 1];
  return last?.kind === 'tool' && last.verdict === 'running' ? t('turn.working', { tool: last.tool }) : t('turn.thinking');
}
