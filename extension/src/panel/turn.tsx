import { useState } from 'preact/hooks';
import { t, language, type Key } from '../shared/i18n';
import { Card } from './card';
import { Icon } from './icons';
import { Markdown, Message } from './message';
import { memo } from './memo';
import { Payload } from './payload';
import { Evidence } from './steps';
import { ToolLine } from './toolline';
import type { Ending, Item, Turn } from './view';

const most = 80; // items of a turn that are drawn before someone asks for the rest

// TurnView is a question and everything that came of it.
export const TurnView = memo(({ turn, verbose, last }: { turn: Turn; verbose: number; last: boolean }) => {
  const [all, setAll] = useState(false);
  const items = turn.items.filter((i) => visible(i, verbose));
  const from = all ? 0 : Math.max(0, items.length - most);
  return (
    <article class={last ? 'turn last' : 'turn'} data-turn={turn.key}>
      {turn.question && <Asked turn={turn} />}
      {from > 0 && <button class="quiet fold" type="button" onClick={() => setAll(true)}>{t('turn.steps', { count: from })}</button>}
      {items.slice(from).map((i) => <Line key={i.key} item={i} verbose={verbose} />)}
      {turn.end ? <End end={turn.end} said={lastText(turn)} /> : last && <Doing turn={turn} verbose={verbose} />}
    </article>
  );
});

function visible(i: Item, verbose: number): boolean {
  if (i.kind === 'step') return verbose >= 2;
  if (i.kind === 'tool') return verbose >= 1;
  return i.kind !== 'text' || i.text !== '' || (verbose >= 1 && i.thought !== '');
}

function lastText(turn: Turn): string {
  const texts = turn.items.filter((i) => i.kind === 'text');
  return texts[texts.length - 1]?.text ?? '';
}

function Asked({ turn }: { turn: Turn }) {
  return (
    <header class="question">
      <h2 class="hidden">{t('turn.you')}</h2>
      <p class="plain" dir="auto">{turn.question}</p>
      {turn.files.length > 0 && <ul class="files">{turn.files.map((f, n) => <li key={n}><Icon name="file" />{f.name}</li>)}</ul>}
    </header>
  );
}

const Line = memo(({ item, verbose }: { item: Item; verbose: number }) => {
  switch (item.kind) {
    case 'text': return <Message item={item} />;
    case 'tool': return <ToolLine item={item} verbose={verbose} />;
    case 'ask': return <Card item={item} />;
    case 'compacted': return <div class="marker" title={item.text}><span>{t('turn.compacted')}</span></div>;
    case 'step': return <div class="stepmark"><span>{t('turn.step', { step: item.step, of: item.of })}</span>{item.call && <Payload run={item.run} call={item.call} />}</div>;
    default: return <p class="note" dir="auto"><Icon name="warn" /><span><span class="hidden">{t('turn.note')}: </span>{item.text}</span></p>;
  }
});

function Doing({ turn, verbose }: { turn: Turn; verbose: number }) {
  const last = turn.items[turn.items.length - 1];
  if (last?.kind === 'ask' && !last.closed) return null;
  if (last?.kind === 'text' && last.open && last.text) return null;
  const tool = last?.kind === 'tool' && last.verdict === 'running' ? last.tool : '';
  if (tool && verbose >= 1) return null; // its own line says so
  return <p class="doing"><span class="pulse" aria-hidden="true" />{tool ? t('turn.working', { tool }) : t('turn.thinking')}</p>;
}

const words: Record<string, Key> = { success: 'end.success', partial: 'end.partial', failed: 'end.failed', refused: 'end.refused', needs_user: 'end.needs_user', stopped: 'end.stopped' };

// End is the outcome: in words where the model has not just said the same, then what it took.
function End({ end, said }: { end: Ending; said: string }) {
  const word = words[end.status] ?? 'end.failed';
  return (
    <footer class={`end ${end.status}`}>
      {end.summary && !said.includes(end.summary.trim()) && <Markdown text={end.summary} open={false} />}
      {end.reason && <p class="reason" dir="auto">{end.reason}</p>}
      {end.proof.length > 0 && <details class="thought"><summary>{t('tool.evidence')}</summary><Evidence proof={end.proof} /></details>}
      <p class="cost"><strong>{t(word)}</strong>{cost(end).map((c) => <span key={c}>{c}</span>)}</p>
    </footer>
  );
}

function cost(e: Ending): string[] {
  const out: string[] = [];
  const s = Math.round(e.ms / 1000);
  if (s > 0) out.push(s < 90 ? t('end.seconds', { s }) : t('end.minutes', { m: Math.floor(s / 60), s: s % 60 }));
  if (e.input + e.output > 0) out.push(t('end.tokens', { input: e.input, output: e.output }));
  if (e.cached > 0) out.push(t('end.cached', { cached: e.cached }));
  if (e.cost > 0) out.push(e.cost.toLocaleString(language.value, { style: 'currency', currency: 'USD', maximumFractionDigits: 4 }));
  return out;
}
