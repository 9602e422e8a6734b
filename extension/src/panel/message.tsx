import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { t } from '../shared/i18n';
import { blocks, render } from './markdown';
import { setFormulas } from './math';
import { memo } from './memo';
import type { TextItem } from './view';

// Block is one finished or growing piece of Markdown; a finished one is never parsed again.
const Block = memo(({ text, last }: { text: string; last: boolean }) => {
  const at = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const e = at.current;
    if (!e) return;
    e.replaceChildren(render(text));
    if (!last) void setFormulas(e);
  }, [text, last]);
  return <div class="block" ref={at} />;
});

// Markdown shows text as it grows; open says that more may come.
export const Markdown = memo(({ text, open }: { text: string; open: boolean }) => {
  const parts = useMemo(() => blocks(text), [text]);
  return <div class="markdown" dir="auto">{parts.map((p, n) => <Block key={n} text={p} last={open && n === parts.length - 1} />)}</div>;
});

// Message is one stretch of the model's own words.
export const Message = memo(({ item }: { item: TextItem }) => (
  <div class="message">
    {item.thought && <Thought text={item.thought} open={item.open && !item.text} />}
    {item.text && <Markdown text={item.text} open={item.open} />}
    {item.text.length > 120 && !item.open && <Copy text={item.text} />}
  </div>
));

function Thought({ text, open }: { text: string; open: boolean }) {
  return (
    <details class="thought">
      <summary>{t('turn.thought')}{open && <span class="pulse" aria-hidden="true" />}</summary>
      <p class="plain" dir="auto">{text}</p>
    </details>
  );
}

function Copy({ text }: { text: string }) {
  const [done, setDone] = useState(false);
  const copy = () => navigator.clipboard.writeText(text).then(() => setDone(true), () => setDone(false));
  return <button class="quiet copy" type="button" onClick={() => void copy()} onBlur={() => setDone(false)}>{done ? t('turn.copied') : t('turn.copy')}</button>;
}
