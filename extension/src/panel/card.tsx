import { useState } from 'preact/hooks';
import { t, type Key } from '../shared/i18n';
import type { Answer, Question } from '../shared/wire';
import { memo } from './memo';
import { PlanBody } from './plan';
import { answer } from './store';
import { bag, str } from './edge';
import type { AskItem } from './view';

const titles: Record<Question['kind'], Key> = { clarify: 'ask.clarify', permission: 'ask.permission', confirm: 'ask.confirm', plan: 'ask.plan', continue: 'ask.continue' };

export type Say = (a: Answer) => void;

// Card is a question of a run. It is plain text throughout: what it quotes comes from pages and models.
export const Card = memo(({ item }: { item: AskItem }) => {
  const [busy, setBusy] = useState(false);
  const q = item.question;
  const say: Say = (a) => { setBusy(true); void answer(q.id, a).then((ok) => { if (!ok) setBusy(false); }); };
  const id = `ask-${item.key}`;
  return (
    <section class={item.closed ? `card ${q.kind} closed` : `card ${q.kind}`} role="group" aria-labelledby={`${id} ${id}-text`}>
      <h3 id={id}>{t(titles[q.kind])}</h3>
      <p class="plain text" id={`${id}-text`} dir="auto">{q.text}</p>
      {q.reason && <p class="faint" dir="auto">{t('ask.why', { reason: q.reason })}</p>}
      {item.closed ? <Closed answer={item.answer} /> : <fieldset disabled={busy}><legend class="hidden">{t(titles[q.kind])}</legend><Body q={q} say={say} /></fieldset>}
    </section>
  );
});

function Closed({ answer: a }: { answer: Answer | null }) {
  const said = a && (a.text || [a.choice, a.scope].filter(Boolean).join(' · '));
  return <p class="faint answered" dir="auto">{said ? t('ask.answered', { answer: said }) : t('ask.closed')}</p>;
}

function Body({ q, say }: { q: Question; say: Say }) {
  switch (q.kind) {
    case 'permission': return <PermissionBody q={q} say={say} />;
    case 'confirm': return <ConfirmBody q={q} say={say} />;
    case 'plan': return <PlanBody q={q} say={say} />;
    case 'continue': return <Two say={say} yes="ask.goon" no="ask.halt" />;
    default: return <ClarifyBody q={q} say={say} />;
  }
}

// Two is yes and no, yes last and strong, as in every card.
export function Two({ say, yes, no }: { say: Say; yes: Key; no: Key }) {
  return (
    <div class="buttons">
      <button type="button" onClick={() => say({ choice: 'deny' })}>{t(no)}</button>
      <button class="strong" type="button" onClick={() => say({ choice: 'allow' })}>{t(yes)}</button>
    </div>
  );
}

function ClarifyBody({ q, say }: { q: Question; say: Say }) {
  const [text, setText] = useState('');
  const options = q.options ?? [];
  const submit = (e: Event) => { e.preventDefault(); if (text.trim()) say({ choice: '', text: text.trim() }); };
  return (
    <>
      {options.length > 0 && <div class="options">{options.map((o) => <button key={o} type="button" dir="auto" onClick={() => say({ choice: o })}>{o}</button>)}</div>}
      <form class="own" onSubmit={submit}>
        <input aria-label={t(options.length ? 'ask.own' : 'ask.answer')} placeholder={t(options.length ? 'ask.own' : 'ask.answer')} dir="auto" value={text} onInput={(e) => setText(e.currentTarget.value)} />
        <button class="strong" type="submit" disabled={!text.trim()}>{t('ask.send')}</button>
      </form>
    </>
  );
}

function PermissionBody({ q, say }: { q: Question; say: Say }) {
  const d = bag(q.details);
  return (
    <>
      <Facts rows={[[t('ask.capability'), str(d.capability)], [t('ask.origin'), str(d.origin)]]} />
      <div class="buttons stack">
        <button class="strong" type="button" onClick={() => say({ choice: 'allow', scope: 'once' })}>{t('ask.once')}</button>
        <button type="button" onClick={() => say({ choice: 'allow', scope: 'session' })}>{t('ask.session')}</button>
        <button type="button" onClick={() => say({ choice: 'allow', scope: 'always' })}>{t('ask.always')}</button>
        <button type="button" onClick={() => say({ choice: 'deny', scope: 'once' })}>{t('ask.deny')}</button>
        <button class="danger" type="button" onClick={() => say({ choice: 'deny', scope: 'never' })}>{t('ask.never')}</button>
      </div>
    </>
  );
}

function ConfirmBody({ q, say }: { q: Question; say: Say }) {
  const d = bag(q.details), fields = fieldsOf(d.fields);
  return (
    <>
      <Facts rows={[[t('ask.action'), str(d.action)], [t('ask.origin'), str(d.origin)]]} />
      {fields.length > 0 && <><h4>{t('ask.field')}</h4><Facts rows={fields} /></>}
      <Two say={say} yes="ask.approve" no="ask.cancel" />
    </>
  );
}

// fieldsOf reads {name: value} and [{name, value}] alike.
function fieldsOf(v: unknown): [string, string][] {
  const one = (x: unknown) => (typeof x === 'string' ? x : JSON.stringify(x) ?? '');
  if (Array.isArray(v)) return v.map(bag).map((f) => [str(f.name) || str(f.label), one(f.value)]);
  return Object.entries(bag(v)).map(([k, x]) => [k, one(x)]);
}

function Facts({ rows }: { rows: [string, string][] }) {
  const there = rows.filter(([, v]) => v !== '');
  if (!there.length) return null;
  return <dl class="facts">{there.map(([k, v]) => <div key={k}><dt dir="auto">{k}</dt><dd dir="auto">{v}</dd></div>)}</dl>;
}
