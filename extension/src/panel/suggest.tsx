import { t, type Key } from '../shared/i18n';
import { line, send } from './store';
import { tab } from './host';

const actions: [Key, Key][] = [
  ['suggest.summary', 'suggest.summary.text'], ['suggest.find', 'suggest.find.text'],
  ['suggest.explain', 'suggest.explain.text'], ['suggest.fill', 'suggest.fill.text'],
];

// Suggestions is what an empty conversation offers: one press starts a task on the page beside it.
export function Suggestions() {
  return (
    <section class="welcome">
      <h2>{t('empty.title')}</h2>
      <p class="faint">{t('empty.hint')}</p>
      {tab.value?.title && <p class="page" dir="auto">{tab.value.title}</p>}
      <div class="options">
        {actions.map(([label, text]) => <button key={label} type="button" disabled={line.value !== 'up'} onClick={() => void send(t(text), [])}>{t(label)}</button>)}
      </div>
    </section>
  );
}
