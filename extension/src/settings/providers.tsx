import { useState } from 'preact/hooks';
import type { LocalServer, NewProvider, ProviderEntry } from '../shared/wire';
import { ProviderForm } from './form';
import { Group, Risky } from './parts';
import { ask, attempt, byDefault, catalog, defaultLocked, providers, set, words } from './store';
import { t } from './words';

const blank: NewProvider = { id: '', family: 'openai', base_url: 'https://', model: '', context: 128000, vision: false, tier: 'full' };

// Providers are the models that wb can ask: what is set up, what is on this computer, and what can be added.
export function Providers() {
  const [form, setForm] = useState<NewProvider | null>(null);
  const close = () => setForm(null);
  return (
    <>
      <Group title={t('providers.title')} hint={t('providers.hint')}>
        {providers.value.length === 0 && <p class="faint">{t('providers.none')}</p>}
        <ul class="cards">
          {providers.value.map((p) => <li key={p.id}>{form?.id === p.id ? <ProviderForm of={form} known={p} close={close} /> : <Entry p={p} edit={() => setForm(editing(p))} />}</li>)}
        </ul>
      </Group>
      <Find use={(p) => setForm(p)} />
      <Group title={t('providers.add')}>
        {form && !providers.value.some((p) => p.id === form.id) ? <ProviderForm of={form} close={close} /> : <Add choose={setForm} />}
      </Group>
    </>
  );
}

const editing = (p: ProviderEntry): NewProvider => ({ id: p.id, family: p.family, base_url: p.base_url, model: p.model, context: p.context, vision: !!p.vision, tier: p.tier });

// Entry is one provider: how it stands, and what can be done with it.
function Entry({ p, edit }: { p: ProviderEntry; edit: () => void }) {
  const [result, setResult] = useState<{ ok: boolean; text: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const isDefault = byDefault.value === p.id;
  const test = async () => {
    setBusy(true);
    setResult(null);
    setResult(await ask('providers.test', { id: p.id }).then((r) => ({ ok: true, text: t('test.ok', { ms: r.ms, text: r.text }) }), (e: unknown) => ({ ok: false, text: words(e) })));
    setBusy(false);
  };
  const name = catalog.value.find((o) => o.id === p.id)?.name ?? p.id;
  return (
    <div class="entry">
      <div class="what">
        <h3>{name} {isDefault && <span class="badge">{t('provider.default')}</span>}</h3>
        <p class="faint">{[p.model || t('provider.nomodel'), p.base_url].join(' · ')}</p>
        <p class="faint">{[keyWords(p), t('provider.context', { tokens: p.context }), p.vision ? t('provider.vision') : ''].filter(Boolean).join(' · ')}</p>
        {!p.ready && p.why && <p class="wrong">{p.why}</p>}
      </div>
      <div class="buttons">
        <button type="button" disabled={busy} onClick={() => void test()}>{t(busy ? 'test.busy' : 'test.run')}</button>
        {!isDefault && <button type="button" disabled={!p.ready || !!defaultLocked.value} title={defaultLocked.value && t('do.lockedby', { by: defaultLocked.value })} onClick={() => void set('provider', p.id)}>{t('provider.choose')}</button>}
        <button type="button" onClick={edit}>{t('do.edit')}</button>
        {p.own && <Risky label={t('do.remove')} action={t('do.remove')} text={t(p.key ? 'provider.sure.key' : 'provider.sure', { name })} yes={() => attempt(() => ask('providers.remove', { id: p.id }), t('provider.removed'))} />}
      </div>
      <p class={result?.ok === false ? 'result wrong' : 'result right'} role="status">{result?.text}</p>
    </div>
  );
}

function keyWords(p: ProviderEntry): string {
  if (p.key === 'environment') return t('key.environment');
  if (p.key) return t('key.stored');
  return p.local ? t('key.local') : t('key.none');
}

// Find looks for servers on this computer when asked to.
function Find({ use }: { use: (p: NewProvider) => void }) {
  const [found, setFound] = useState<LocalServer[] | null>(null);
  const [busy, setBusy] = useState(false);
  const look = async () => {
    setBusy(true);
    await attempt(async () => setFound((await ask('local.find', {})).servers));
    setBusy(false);
  };
  return (
    <Group title={t('local.title')} hint={t('local.hint')}>
      <div><button type="button" disabled={busy} onClick={() => void look()}>{t(busy ? 'local.busy' : 'local.run')}</button></div>
      <div class="live" aria-live="polite">
        {found?.length === 0 && <p class="faint">{t('local.none')}</p>}
        <ul class="rows">{found?.map((s) => <Found key={s.base_url} s={s} use={use} />)}</ul>
      </div>
    </Group>
  );
}

function Found({ s, use }: { s: LocalServer; use: (p: NewProvider) => void }) {
  const name = catalog.value.find((o) => o.id === s.kind)?.name ?? s.kind;
  const m = s.models[0];
  return (
    <li>
      <div class="what"><strong>{name}</strong><span class="faint">{s.base_url} · {m ? s.models.slice(0, 3).map((x) => x.id).join(', ') + (s.models.length > 3 ? ' …' : '') : t('local.empty')}</span></div>
      <button type="button" aria-label={t('local.use.of', { name })} onClick={() => use({ ...blank, id: s.kind, base_url: s.base_url, model: m?.id ?? '', context: m?.context || 16384, vision: !!m?.vision, tier: 'mid' })}>{t('local.use')}</button>
    </li>
  );
}

// Add chooses among what the catalogue offers, or begins with an empty form.
function Add({ choose }: { choose: (p: NewProvider) => void }) {
  const left = catalog.value.filter((o) => !providers.value.some((p) => p.id === o.id && (p.own || p.ready)));
  const [id, setID] = useState('');
  const go = (e: Event) => {
    e.preventDefault();
    const o = left.find((x) => x.id === id);
    choose(o ? { id: o.id, family: o.family, base_url: o.base_url, model: o.model, context: o.context, vision: !!o.vision, tier: o.local ? 'mid' : 'full' } : { ...blank });
  };
  return (
    <form class="beside" onSubmit={go}>
      <label class="grow"><span>{t('add.which')}</span>
        <select value={id} onChange={(e) => setID(e.currentTarget.value)}>
          <option value="">{t('add.choose')}</option>
          <optgroup label={t('add.services')}>{left.filter((o) => !o.local).map((o) => <option key={o.id} value={o.id}>{o.name}</option>)}</optgroup>
          <optgroup label={t('add.local')}>{left.filter((o) => o.local).map((o) => <option key={o.id} value={o.id}>{o.name}</option>)}</optgroup>
          <option value="-">{t('add.other')}</option>
        </select>
      </label>
      <button type="submit" disabled={!id}>{t('add.setup')}</button>
    </form>
  );
}
