import { t } from '../shared/i18n';
import { Icon } from './icons';
import { code, dismissed, line, pairUp, retry, view, why } from './store';

// Banner says what stands between the panel and the daemon, and what to do about it.
export function Banner() {
  switch (line.value) {
    case 'up': return null;
    case 'connecting': return <div class="banner" role="status"><p><span class="pulse" aria-hidden="true" />{t('line.connecting')}</p></div>;
    case 'down': return (
      <div class="banner amber" role="status">
        <p><strong>{t('line.down')}</strong></p>
        <p>{t('line.start')} <code>wb up</code></p>
        <p class="faint">{t('line.retrying')}</p>
        <button type="button" onClick={retry}>{t('line.retry')}</button>
      </div>
    );
    case 'refused': return (
      <div class="banner red" role="status">
        <p>{t('line.refused', { why: why.value })}</p>
        <div class="buttons"><button type="button" onClick={retry}>{t('line.retry')}</button><PairButton /></div>
      </div>
    );
    case 'unpaired': return (
      <div class="banner" role="status">
        <p><strong>{t('line.unpaired')}</strong></p>
        <p>{t('line.start')} <code>wb up</code></p>
        <PairButton />
      </div>
    );
  }
}

function PairButton() {
  if (code.value) return <p>{t('line.code')} <output class="code">{code.value}</output></p>;
  return <button class="strong" type="button" onClick={() => void pairUp()}>{t('line.pair')}</button>;
}

// Warnings is one line that opens to what the daemon warned of, until put away.
export function Warnings() {
  const there = view.value.warnings.filter((w) => w.key > dismissed.value);
  const last = there[there.length - 1];
  if (!last) return null;
  return (
    <div class="banner amber warnings">
      <details>
        <summary><Icon name="warn" />{t('warn.title', { count: there.length })}</summary>
        <ul>{there.map((w) => <li key={w.key} dir="auto">{w.text}</li>)}</ul>
      </details>
      <button class="quiet square" type="button" aria-label={t('warn.hide')} title={t('warn.hide')} onClick={() => { dismissed.value = last.key; }}><Icon name="close" /></button>
    </div>
  );
}
