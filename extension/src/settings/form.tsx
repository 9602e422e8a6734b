import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { NewProvider, ProviderEntry } from '../shared/wire';
import { Field } from './parts';
import { ask, attempt, catalog, failure } from './store';
import { t, type Key } from './words';

const tiers: [string, Key][] = [['compact', 'tier.compact'], ['mid', 'tier.mid'], ['full', 'tier.full']];

// ProviderForm sets up a provider. The key is typed here, told to the daemon once and not kept by the page.
export function ProviderForm({ of, known, close }: { of: NewProvider; known?: ProviderEntry; close: () => void }) {
  const [p, setP] = useState(of);
  const [models, setModels] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const first = useRef<HTMLFormElement>(null), list = useId();
  useEffect(() => first.current?.querySelector<HTMLElement>('input:not([disabled])')?.focus(), []);
  const offer = catalog.value.find((o) => o.id === of.id);
  const name = offer?.name ?? (of.id || t('form.own'));
  const put = (change: Partial<NewProvider>) => setP({ ...p, ...change });
  const during = async (f: () => Promise<unknown>) => { setBusy(true); await f(); setBusy(false); };

  const save = (e: Event) => {
    e.preventDefault();
    void during(async () => {
      if (await attempt(() => ask('providers.save', { ...p, key: p.key || undefined }), t('do.saved'))) close();
    });
  };
  const load = () => during(() => attempt(async () => {
    const got = (await ask('models', { provider: of.id })).models;
    setModels(got);
    if (!p.model && got[0]) put({ model: got[0] });
  }));
  const detect = () => during(() => attempt(async () => { put(await ask('providers.window', { base_url: p.base_url, model: p.model })); }));

  return (
    <form class="entry form" ref={first} aria-label={name} onSubmit={save} autocomplete="off">
      <h3>{name}</h3>
      {!offer && <Field label={t('form.id')} hint={t('form.id.hint')}>{(id, note) => <input id={id} aria-describedby={note} disabled={!!known} required pattern="[a-z][a-z0-9\-]*" value={p.id} onInput={(e) => put({ id: e.currentTarget.value })} />}</Field>}
      <Field label={t('form.url')} hint={offer ? undefined : t('form.url.hint')}>{(id, note) => <input id={id} aria-describedby={note} inputMode="url" required value={p.base_url} onInput={(e) => put({ base_url: e.currentTarget.value })} />}</Field>
      {!offer && <Field label={t('form.family')}>{(id) => <select id={id} value={p.family} onChange={(e) => put({ family: e.currentTarget.value })}><option value="openai">{t('family.openai')}</option><option value="anthropic">{t('family.anthropic')}</option></select>}</Field>}
      <Field label={t('form.key')} hint={known?.key ? t('form.key.stored') : t(offer?.local ? 'form.key.local' : 'form.key.hint')}>
        {(id, note) => (
          <>
            <input id={id} type="password" aria-describedby={note} autocomplete="new-password" spellcheck={false} value={p.key ?? ''} onInput={(e) => put({ key: e.currentTarget.value })} />
            {offer?.keys && <p><a href={offer.keys} target="_blank" rel="noreferrer">{t('form.key.get', { name })}</a></p>}
          </>
        )}
      </Field>
      <Field label={t('form.model')} hint={known ? undefined : t('form.model.hint')}>
        {(id, note) => (
          <div class="beside">
            <input id={id} aria-describedby={note} list={list} value={p.model} onInput={(e) => put({ model: e.currentTarget.value })} />
            <datalist id={list}>{models.map((m) => <option key={m} value={m} />)}</datalist>
            {known && <button type="button" disabled={busy} onClick={() => void load()}>{t('form.models')}</button>}
          </div>
        )}
      </Field>
      {models.length > 0 && (
        <Field label={t('form.models.found', { count: models.length })}>
          {(id) => <select id={id} value={models.includes(p.model) ? p.model : ''} onChange={(e) => put({ model: e.currentTarget.value })}><option value="" disabled>{t('add.choose')}</option>{models.map((m) => <option key={m} value={m}>{m}</option>)}</select>}
        </Field>
      )}
      <Field label={t('form.context')} hint={t('form.context.hint')}>
        {(id, note) => (
          <div class="beside">
            <input id={id} type="number" aria-describedby={note} inputMode="numeric" min={1024} max={100000000} required value={p.context} onInput={(e) => put({ context: Number(e.currentTarget.value) })} />
            {p.base_url.startsWith('http://') && <button type="button" disabled={busy || !p.model} onClick={() => void detect()}>{t('form.detect')}</button>}
          </div>
        )}
      </Field>
      <Field label={t('form.tier')} hint={t('form.tier.hint')}>{(id, note) => <select id={id} aria-describedby={note} value={p.tier} onChange={(e) => put({ tier: e.currentTarget.value })}>{tiers.map(([v, k]) => <option key={v} value={v}>{t(k)}</option>)}</select>}</Field>
      <label class="check"><input type="checkbox" checked={p.vision} onChange={(e) => put({ vision: e.currentTarget.checked })} /><span>{t('form.vision')}</span></label>
      {failure.value && <p class="wrong">{failure.value}</p>}
      <div class="buttons"><button type="button" onClick={close}>{t('do.cancel')}</button><button class="strong" type="submit" disabled={busy}>{t('form.save')}</button></div>
    </form>
  );
}
