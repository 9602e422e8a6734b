import { useState } from 'preact/hooks';
import { language } from '../shared/i18n';
import type { ClientInfo } from '../shared/wire';
import { Field, Group, Risky } from './parts';
import { ask, attempt, clients, grants, reload, self } from './store';
import { t, type Key } from './words';

const deeds: Record<string, Key> = {
  write: 'deed.write', pay: 'deed.pay', delete: 'deed.delete', account: 'deed.account', permission: 'deed.permission', eval: 'deed.eval', close_tab: 'deed.close_tab',
};

// Permissions are what runs may do without being asked each time, and the browsers that may talk to wb.
export function Permissions() {
  return (
    <>
      <Group title={t('grants.title')} hint={t('grants.hint')}>
        {grants.value.length === 0 && <p class="faint">{t('grants.none')}</p>}
        <ul class="rows">
          {grants.value.map((g) => (
            <li key={g.origin + g.do.join() + g.by}>
              <div class="what">
                <strong>{g.origin === '*' ? t('grants.all') : g.origin}</strong>
                <span class="faint">{g.do.map((d) => deeds[d] ? t(deeds[d]) : d).join(', ')}{!g.own && ' · ' + t('do.lockedby', { by: g.by })}</span>
              </div>
              {g.own && <button type="button" aria-label={t('grants.revoke.of', { origin: g.origin })} onClick={() => void attempt(() => ask('grants.revoke', { origin: g.origin }), t('grants.revoked'))}>{t('grants.revoke')}</button>}
            </li>
          ))}
        </ul>
        <AddSite />
      </Group>
      <Group title={t('clients.title')} hint={t('clients.hint')}>
        <ul class="rows">
          {clients.value.map((c) => (
            <li key={c.id}>
              <div class="what">
                <strong>{nameOf(c)}</strong>
                <span class="faint">{t('clients.since', { date: new Date(c.at).toLocaleDateString(language.value) })}{c.id === self.value && ' · ' + t('clients.self')}</span>
              </div>
              <Risky label={t('clients.revoke')} action={t('clients.revoke')} text={t(c.id === self.value ? 'clients.sure.self' : 'clients.sure', { name: nameOf(c) })}
                yes={() => attempt(() => ask('clients.revoke', { id: c.id }).then(reload), t('clients.revoked'))} />
            </li>
          ))}
        </ul>
      </Group>
    </>
  );
}

// nameOf says which pairing this is; the computer's own have names of the daemon's, not of a browser.
function nameOf(c: ClientInfo): string {
  return c.id === 'terminal' ? t('clients.terminal') : c.id === 'page' ? t('clients.page') : c.name;
}

const example = 'https://shop.example';

function AddSite() {
  const [site, setSite] = useState('');
  const add = async (e: Event) => {
    e.preventDefault();
    const origin = site.includes('://') ? site : 'https://' + site;
    if (await attempt(() => ask('grants.add', { origin }), t('do.saved'))) setSite('');
  };
  return (
    <form class="add" onSubmit={(e) => void add(e)}>
      <Field label={t('grants.add')} hint={t('grants.add.hint')}>
        {(id, note) => <div class="beside"><input id={id} aria-describedby={note} inputMode="url" autocomplete="off" placeholder={example} value={site} onInput={(e) => setSite(e.currentTarget.value)} /><button type="submit" disabled={!site.trim()}>{t('do.add')}</button></div>}
      </Field>
    </form>
  );
}
