import { useEffect, useState } from 'preact/hooks';
import { api } from '../platform';
import { About } from './about';
import { Data } from './data';
import { General } from './general';
import { Permissions } from './permissions';
import { Providers } from './providers';
import { done, failure, line, loaded, retry, why } from './store';
import { t, type Key } from './words';

const sections: [string, Key, () => preact.JSX.Element][] = [
  ['providers', 'nav.providers', Providers], ['general', 'nav.general', General], ['permissions', 'nav.permissions', Permissions],
  ['data', 'nav.data', Data], ['about', 'nav.about', About],
];

// App is the page: the sections' names, and the one that the address names.
export function App() {
  const [at, setAt] = useState(location.hash.slice(1));
  useEffect(() => {
    const moved = () => setAt(location.hash.slice(1));
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  const [id, name, Section] = sections.find(([s]) => s === at) ?? sections[0]!;
  return (
    <div class="page">
      <header class="head">
        <h1>{t('page.title')}</h1>
        {!api && <a href="panel.html">{t('page.back')}</a>}
      </header>
      <nav aria-label={t('page.title')}>
        <ul>{sections.map(([s, label]) => <li key={s}><a href={'#' + s} aria-current={s === id ? 'page' : undefined}>{t(label)}</a></li>)}</ul>
      </nav>
      <main tabIndex={-1} aria-label={t(name)}>
        <Line />
        <p class="complaint" role="alert" hidden={!failure.value}>{failure.value}</p>
        {loaded.value && <Section />}
      </main>
      <p class="said" role="status">{done.value}</p>
    </div>
  );
}

// Line says what stands between the page and the daemon.
function Line() {
  switch (line.value) {
    case 'up': return null;
    case 'connecting': return <p class="faint" role="status">{t('line.connecting')}</p>;
    case 'unpaired': return <p class="bar" role="status">{t('line.unpaired')}</p>;
    default: return (
      <div class="bar" role="status">
        <p>{line.value === 'down' ? t('line.down') : t('line.refused', { why: why.value })} <code>wb up</code></p>
        <button type="button" onClick={retry}>{t('line.retry')}</button>
      </div>
    );
  }
}
