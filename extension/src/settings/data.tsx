import { useEffect, useState } from 'preact/hooks';
import { language } from '../shared/i18n';
import type { Bundle, Methods } from '../shared/wire';
import { Amount } from './general';
import { base64, download } from './files';
import { Field, Group, Risky } from './parts';
import { ask, attempt, reload, values } from './store';
import { t, type Key } from './words';

// names are what the settings are called on this page.
const names: Record<string, Key> = {
  mode: 'general.mode', max_steps: 'general.steps', timeout: 'general.timeout', provider: 'provider.default',
  'panel.locale': 'general.language', 'panel.theme': 'general.theme', 'panel.verbose': 'general.verbose',
  'retention.runs': 'data.runs', 'retention.age': 'data.days', 'retention.size_mb': 'data.size',
};

type Summary = Methods['data.summary'][1];

// Data is what is kept on this computer: how much and how long, taken along, brought back, deleted.
export function Data() {
  const [has, setHas] = useState<Summary | null>(null);
  const look = () => attempt(async () => setHas(await ask('data.summary', {})));
  useEffect(() => void look(), [values.value]);
  return (
    <>
      <Group title={t('data.title')} hint={t('data.hint')}>
        {has && <p>{t('data.has', { conversations: has.conversations, runs: has.runs, mb: (has.bytes / 1048576).toLocaleString(language.value, { maximumFractionDigits: 1 }) })}</p>}
        <Amount setting="retention.runs" label={t('data.runs')} hint={t('data.none')} min={0} max={1000000} />
        <Amount setting="retention.age" label={t('data.days')} hint={t('data.none')} min={0} max={36500} unit="d" />
        <Amount setting="retention.size_mb" label={t('data.size')} hint={t('data.none')} min={0} max={1000000} />
      </Group>
      {has && <Export keys={has.keys} />}
      <Import after={look} />
      {has && <Delete has={has} after={look} />}
    </>
  );
}

function Export({ keys }: { keys: string[] }) {
  const [secret, setSecret] = useState(false);
  const [phrase, setPhrase] = useState('');
  const [busy, setBusy] = useState(false);
  const run = async (e: Event) => {
    e.preventDefault();
    setBusy(true);
    await attempt(async () => {
      const f = await ask('data.export', { passphrase: secret ? phrase : undefined });
      download(f.name, f.data);
    }, t('export.done'));
    setBusy(false);
    setPhrase('');
  };
  return (
    <Group title={t('export.title')} hint={t('export.hint')}>
      <form class="stack" onSubmit={(e) => void run(e)}>
        {keys.length > 0 && <label class="check"><input type="checkbox" checked={secret} onChange={(e) => setSecret(e.currentTarget.checked)} /><span>{t('export.keys', { count: keys.length })}</span></label>}
        {secret && <Field label={t('export.phrase')} hint={t('export.phrase.hint')}>{(id, note) => <input id={id} type="password" aria-describedby={note} autocomplete="new-password" minLength={8} required value={phrase} onInput={(e) => setPhrase(e.currentTarget.value)} />}</Field>}
        <button type="submit" disabled={busy}>{t('export.run')}</button>
      </form>
    </Group>
  );
}

function Import({ after }: { after: () => Promise<unknown> }) {
  const [file, setFile] = useState('');
  const [phrase, setPhrase] = useState('');
  const [brings, setBrings] = useState<Bundle | null>(null);
  const take = async (input: HTMLInputElement) => {
    const f = input.files?.[0];
    setBrings(null);
    if (!f) return setFile('');
    await attempt(async () => {
      const data = await base64(f);
      setFile(data);
      setBrings(await ask('data.import', { data, apply: false }));
    });
  };
  const apply = () => attempt(async () => {
    await ask('data.import', { data: file, passphrase: phrase || undefined, apply: true });
    setBrings(null);
    setPhrase('');
    await Promise.all([after(), reload()]);
  }, t('import.done'));
  return (
    <Group title={t('import.title')} hint={t('import.hint')}>
      <Field label={t('import.file')}>{(id) => <input id={id} type="file" accept=".gz,.json" onChange={(e) => void take(e.currentTarget)} />}</Field>
      {brings && (
        <div class="preview" role="group" aria-label={t('import.brings')}>
          <h3>{t('import.brings')}</h3>
          <ul>
            <li>{t('import.conversations', { count: brings.conversations, known: brings.known })}</li>
            {brings.settings.length > 0 && <li>{t('import.settings', { list: brings.settings.map((k) => names[k] ? t(names[k]) : k).join(', ') })}</li>}
            {brings.providers.map((p) => <li key={p}>{t('import.provider', { provider: p })}</li>)}
            {brings.origins.length > 0 && <li>{t('import.origins', { list: brings.origins.join(', ') })}</li>}
            {brings.keys.length > 0 && <li>{t('import.keys', { list: brings.keys.join(', ') })}</li>}
          </ul>
          {brings.keys.length > 0 && <Field label={t('export.phrase')} hint={t('import.phrase.hint')}>{(id, note) => <input id={id} type="password" aria-describedby={note} autocomplete="off" value={phrase} onInput={(e) => setPhrase(e.currentTarget.value)} />}</Field>}
          <div class="buttons"><button type="button" onClick={() => setBrings(null)}>{t('do.cancel')}</button><button class="strong" type="button" onClick={() => void apply()}>{t('import.run')}</button></div>
        </div>
      )}
    </Group>
  );
}

function Delete({ has, after }: { has: Summary; after: () => Promise<unknown> }) {
  const drop = (what: 'conversations' | 'everything') => () => attempt(() => ask('data.delete', { what }).then(after), t('delete.done'));
  return (
    <Group title={t('delete.title')} hint={t('delete.hint')}>
      <div class="stack">
        <Risky label={t('delete.conversations')} action={t('delete.run')} text={t('delete.conversations.sure', { conversations: has.conversations, runs: has.runs })} yes={drop('conversations')} />
        <Risky label={t('delete.everything')} action={t('delete.run')} text={t('delete.everything.sure', { conversations: has.conversations, runs: has.runs, keys: has.keys.length, clients: has.clients })} yes={drop('everything')} />
      </div>
    </Group>
  );
}
