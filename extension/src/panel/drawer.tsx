import { useEffect, useRef, useState } from 'preact/hooks';
import { t, language } from '../shared/i18n';
import type { SessionInfo } from '../shared/wire';
import { Icon } from './icons';
import { ask, drawer, newSession, openSession, remove, session } from './store';

// Drawer lists the conversations over everything else; Escape and its button close it.
export function Drawer() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (drawer.value) dialog.current?.showModal();
    else dialog.current?.close();
  }, [drawer.value]);
  return (
    <dialog class="drawer" ref={dialog} aria-label={t('app.sessions')} onClose={() => { drawer.value = false; }} onClick={(e) => { if (e.target === dialog.current) drawer.value = false; }}>
      {drawer.value && <Inside />}
    </dialog>
  );
}

function Inside() {
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<SessionInfo[] | null>(null);
  const [sure, setSure] = useState('');
  const turn = useRef(0);
  const load = (q: string) => {
    const mine = ++turn.current; // a slow answer to an older search is dropped
    void ask('session.list', { query: q || undefined, limit: 100 }).then((r) => { if (mine === turn.current) setFound(r.sessions ?? []); }, () => setFound([]));
  };
  useEffect(() => load(query), [query]);
  const open = (id: string) => { drawer.value = false; void openSession(id); };
  return (
    <div class="sheet">
      <header>
        <h2>{t('app.sessions')}</h2>
        <button class="quiet square" type="button" aria-label={t('app.new')} title={t('app.new')} onClick={() => { drawer.value = false; void newSession(); }}><Icon name="plus" /></button>
        <button class="quiet square" type="button" aria-label={t('sessions.close')} title={t('sessions.close')} onClick={() => { drawer.value = false; }}><Icon name="close" /></button>
      </header>
      <input type="search" aria-label={t('sessions.search')} placeholder={t('sessions.search')} dir="auto" value={query} onInput={(e) => setQuery(e.currentTarget.value)} />
      {found?.length === 0 && <p class="faint">{t(query ? 'sessions.none' : 'sessions.first')}</p>}
      <ul class="sessions">
        {found?.map((s) => sure === s.id
          ? <Sure key={s.id} s={s} no={() => setSure('')} yes={() => void remove(s.id).then(() => { setSure(''); load(query); })} />
          : <Row key={s.id} s={s} open={() => open(s.id)} drop={() => setSure(s.id)} />)}
      </ul>
    </div>
  );
}

const name = (s: SessionInfo) => s.title || t('sessions.untitled');

function Row({ s, open, drop }: { s: SessionInfo; open: () => void; drop: () => void }) {
  const now = s.id === session.value?.id;
  return (
    <li class={now ? 'now' : ''}>
      <button class="open" type="button" aria-current={now} onClick={open}>
        <span class="title" dir="auto">{name(s)}</span>
        <span class="faint">{s.busy ? t('sessions.busy') : when(s.at)}{s.url && ` · ${host(s.url)}`}</span>
      </button>
      <button class="quiet square" type="button" aria-label={t('sessions.delete', { title: name(s) })} onClick={drop}><Icon name="trash" /></button>
    </li>
  );
}

function Sure({ s, yes, no }: { s: SessionInfo; yes: () => void; no: () => void }) {
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(), []);
  return (
    <li class="sure">
      <p dir="auto">{t('sessions.sure', { title: name(s) })}</p>
      <div class="buttons"><button ref={keep} type="button" onClick={no}>{t('sessions.no')}</button><button class="danger" type="button" onClick={yes}>{t('sessions.yes')}</button></div>
    </li>
  );
}

function when(at: number): string {
  const d = new Date(at), today = new Date().toDateString() === d.toDateString();
  return d.toLocaleString(language.value, today ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short' });
}

function host(url: string): string {
  try { return new URL(url).host; } catch { return ''; }
}
