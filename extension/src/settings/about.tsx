import { useEffect, useState } from 'preact/hooks';
import type { Check, Methods } from '../shared/wire';
import { Group } from './parts';
import { ask, attempt } from './store';
import { t, type Key } from './words';

const places: [string, Key][] = [['data', 'about.data'], ['settings', 'about.settings'], ['plugins', 'about.plugins'], ['cache', 'about.cache'], ['log', 'about.log']];
const licence = { name: 'MIT', text: 'https://spdx.org/licenses/MIT.html' };

export function About() {
  const [about, setAbout] = useState<Methods['about'][1] | null>(null);
  useEffect(() => void attempt(async () => setAbout(await ask('about', {}))), []);
  return (
    <>
      <Group title={t('about.title')}>
        {about && (
          <dl class="facts">
            <div><dt>{t('about.version')}</dt><dd>wb {about.version}</dd></div>
            <div><dt>{t('about.address')}</dt><dd><code>{about.address}</code></dd></div>
            {places.map(([id, label]) => about.paths[id] && <div key={id}><dt>{t(label)}</dt><dd><code>{about.paths[id]}</code></dd></div>)}
            <div><dt>{t('about.licence')}</dt><dd><a href={licence.text} target="_blank" rel="noreferrer">{licence.name}</a> · {t('about.parts')}</dd></div>
          </dl>
        )}
      </Group>
      <Doctor />
    </>
  );
}

// Doctor runs what `wb doctor` runs.
function Doctor() {
  const [checks, setChecks] = useState<Check[]>([]);
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    await attempt(async () => setChecks((await ask('doctor', {})).checks));
    setBusy(false);
  };
  return (
    <Group title={t('doctor.title')} hint={t('doctor.hint')}>
      <button type="button" disabled={busy} onClick={() => void run()}>{t(busy ? 'doctor.busy' : 'doctor.run')}</button>
      <ul class="checks" aria-live="polite">
        {checks.map((c) => (
          <li key={c.name}>
            <span class={c.ok ? 'badge good' : 'badge bad'}>{t(c.ok ? 'doctor.ok' : 'doctor.wrong')}</span>
            <div><strong>{c.name}</strong> <span class="faint">{c.note}</span>{c.fix && <p>{c.fix}</p>}</div>
          </li>
        ))}
      </ul>
    </Group>
  );
}
