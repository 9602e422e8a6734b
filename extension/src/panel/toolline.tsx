import { useState } from 'preact/hooks';
import { t, type Key } from '../shared/i18n';
import { Icon, type IconName } from './icons';
import { memo } from './memo';
import { Payload } from './payload';
import { Evidence, Steps } from './steps';
import { bag, str } from './edge';
import type { ToolItem, Verdict } from './view';

const looks: Record<Verdict, [IconName, Key]> = {
  running: ['dot', 'tool.running'], ok: ['check', 'tool.ok'], done: ['check', 'tool.done'],
  not_done: ['cross', 'tool.not_done'], unknown: ['ask', 'tool.unknown'], error: ['cross', 'tool.error'],
};

// Badge is a verdict in colour, sign and word.
export function Badge({ verdict }: { verdict: Verdict }) {
  const [icon, word] = looks[verdict];
  return <span class={`badge ${verdict}`}><Icon name={icon} /><span>{t(word)}</span></span>;
}

// gist is what a person wants to know of a call's arguments, in a few words.
export function gist(args: unknown): string {
  const b = bag(args);
  for (const k of ['goal', 'url', 'query', 'text', 'name', 'summary', 'path', 'key', 'ref_id']) if (str(b[k])) return str(b[k]).slice(0, 160);
  const rest = JSON.stringify(args ?? {});
  return rest === '{}' ? '' : rest.slice(0, 160);
}

export const ToolLine = memo(({ item, verbose }: { item: ToolItem; verbose: number }) => {
  const [open, setOpen] = useState(false);
  return (
    <details class={`tool ${item.verdict}`} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        <code class="name">{item.tool}</code>
        <span class="gist" dir="auto">{gist(item.args)}</span>
        <Badge verdict={item.verdict} />
      </summary>
      {open && <Inside item={item} verbose={verbose} />}
    </details>
  );
});

function Inside({ item, verbose }: { item: ToolItem; verbose: number }) {
  const receipt = item.data && bag(item.data).error !== true ? item.data : bag(item.data).receipt;
  return (
    <div class="inside">
      {item.reason && <p class="reason" dir="auto">{item.reason}</p>}
      {item.steps.length > 0 && <Steps steps={item.steps} />}
      {item.proof.length > 0 && <Evidence proof={item.proof} />}
      <Source title={t('tool.arguments')} value={item.args} />
      {item.result && <Words title={t('tool.result')} text={item.result} />}
      {receipt ? <Source title={t('tool.receipt')} value={receipt} /> : null}
      {verbose >= 2 && item.call && <Payload run={item.run} call={item.call} />}
    </div>
  );
}

const shown = 4000; // characters of a long result, until asked for more

// Words is plain text from a tool, which often comes from a page: never markup.
export function Words({ title, text }: { title: string; text: string }) {
  const [all, setAll] = useState(false);
  return (
    <section>
      <h3>{title}</h3>
      <pre class="source" tabIndex={0} dir="auto">{all ? text : text.slice(0, shown)}</pre>
      {!all && text.length > shown && <button class="quiet" type="button" onClick={() => setAll(true)}>{t('tool.more')}</button>}
    </section>
  );
}

export function Source({ title, value }: { title: string; value: unknown }) {
  return <Words title={title} text={JSON.stringify(value ?? {}, null, 2)} />;
}
