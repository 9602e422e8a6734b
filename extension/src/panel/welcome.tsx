import { useSignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { languages, t } from '../shared/i18n';
import type { LocalServer, NewProvider, Offer } from '../shared/wire';
import { openSettings } from './host';
import { ask, attempt, sendAt, welcome } from './store';

// Welcome is the first steps of somebody who has no model yet: a language, a model, a task on a sample page. The
// daemon remembers that they are over.
export function Welcome() {
  const model = useSignal(''); // that has answered
  const end = () => attempt(async () => {
    await ask('settings.set', { key: 'panel.welcomed', value: true });
    welcome.value = false;
  });
  return (
    <section class="welcome steps">
      <h2>{t('welcome.title')}</h2>
      <Language />
      <h3>{t('welcome.model')}</h3>
      {model.value ? <p class="answers" role="status">{t('welcome.connected', { model: model.value })}</p> : <Connect connected={(m) => { model.value = m; }} />}
      {model.value && <FirstTask end={end} />}
      <button class="quiet" type="button" onClick={() => void end()}>{t(model.value ? 'welcome.done' : 'welcome.skip')}</button>
    </section>
  );
}

function Language() {
  const [chosen, setChosen] = useState('');
  const choose = (l: string) => { setChosen(l); void attempt(() => ask('settings.set', { key: 'panel.locale', value: l })); };
  return (
    <label class="field"><span>{t('welcome.language')}</span>
      <select value={chosen} onChange={(e) => choose(e.currentTarget.value)}>
        <option value="">{t('welcome.browser')}</option>
        {languages.map((l) => <option key={l} value={l} lang={l}>{new Intl.DisplayNames([l], { type: 'language' }).of(l) ?? l}</option>)}
      </select>
    </label>
  );
}

// Connect offers what was found on this computer, and services for which a key is needed. What is chosen must
// answer before the next step comes.
function Connect({ connected }: { connected: (model: string) => void }) {
  const [servers, setServers] = useState<LocalServer[] | null>(null);
  const [offers, setOffers] = useState<Offer[]>([]);
  const [trying, setTrying] = useState('');
  const look = () => {
    setServers(null);
    void attempt(async () => setServers((await ask('local.find', {})).servers)).then((ok) => { if (!ok) setServers([]); });
  };
  useEffect(() => {
    look();
    void attempt(async () => setOffers((await ask('providers.list', {})).catalog));
  }, []);
  const connect = async (p: NewProvider) => {
    setTrying(p.model);
    const ok = await attempt(async () => {
      await ask('providers.save', p);
      await ask('providers.test', { id: p.id });
      await ask('settings.set', { key: 'provider', value: p.id });
    });
    setTrying('');
    if (ok) connected(p.model);
  };
  if (trying) return <p role="status"><span class="pulse" aria-hidden="true" />{t('welcome.trying', { model: trying })}</p>;
  const found = (servers ?? []).flatMap((s) => s.models.slice(0, 4).map((m) => ({ s, m })));
  return (
    <>
      <p class="faint">{t('welcome.model.hint')}</p>
      <div class="options" aria-live="polite">
        {!servers && <p role="status"><span class="pulse" aria-hidden="true" />{t('welcome.looking')}</p>}
        {found.map(({ s, m }) => (
          <button key={s.base_url + m.id} type="button" onClick={() => void connect({ id: s.kind, family: 'openai', base_url: s.base_url, model: m.id, context: Math.max(1024, m.context || 16384), vision: !!m.vision, tier: 'mid' })}>
            {t('welcome.use', { model: m.id, program: offers.find((o) => o.id === s.kind)?.name ?? s.kind })}
          </button>
        ))}
        {servers && !found.length && <p class="faint">{t('welcome.nothing')} <button class="quiet" type="button" onClick={look}>{t('welcome.again')}</button></p>}
      </div>
      <Service offers={offers.filter((o) => !o.local && o.model)} connect={connect} />
      <button class="quiet" type="button" onClick={() => openSettings('#providers')}>{t('welcome.other')}</button>
    </>
  );
}

function Service({ offers, connect }: { offers: Offer[]; connect: (p: NewProvider) => Promise<void> }) {
  const [id, setID] = useState('');
  const [key, setKey] = useState('');
  const o = offers.find((x) => x.id === id);
  const go = (e: Event) => {
    e.preventDefault();
    if (o) void connect({ id: o.id, family: o.family, base_url: o.base_url, model: o.model, context: o.context, vision: !!o.vision, tier: 'full', key });
  };
  return (
    <form class="service" onSubmit={go} autocomplete="off">
      <label class="field"><span>{t('welcome.service')}</span>
        <select value={id} onChange={(e) => setID(e.currentTarget.value)}>
          <option value="">{t('welcome.choose')}</option>
          {offers.map((x) => <option key={x.id} value={x.id}>{x.name}</option>)}
        </select>
      </label>
      {o && <label class="field"><span>{t('welcome.key')}</span><input type="password" autocomplete="new-password" required value={key} onInput={(e) => setKey(e.currentTarget.value)} /></label>}
      {o && <div class="buttons">{o.keys && <a href={o.keys} target="_blank" rel="noreferrer">{t('welcome.getkey')}</a>}<button class="strong" type="submit" disabled={!key}>{t('welcome.connect')}</button></div>}
    </form>
  );
}

function FirstTask({ end }: { end: () => Promise<boolean> }) {
  const run = async () => {
    let url = '';
    if (!await attempt(async () => { url = (await ask('sample.open', {})).url; })) return;
    if (await sendAt(url, t('welcome.task.text', { url }))) await end();
  };
  return (
    <>
      <h3>{t('welcome.task')}</h3>
      <p class="faint">{t('welcome.task.hint')}</p>
      <button class="strong" type="button" onClick={() => void run()}>{t('welcome.task.run')}</button>
    </>
  );
}
