import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../shared/i18n';
import { Icon } from './icons';
import { Reader } from './scroll';
import { awaited, ready, session, verbose, view, waiting, welcome } from './store';
import { Suggestions } from './suggest';
import { TurnView } from './turn';
import { Welcome } from './welcome';

const most = 30; // turns that are drawn before someone asks for the rest

// Conversation is all turns of the session, and the buttons that move between question and answer.
export function Conversation() {
  const box = useRef<HTMLElement>(null), content = useRef<HTMLDivElement>(null);
  const [reader, setReader] = useState<Reader | null>(null);
  const [all, setAll] = useState(false);
  useLayoutEffect(() => {
    if (!box.current || !content.current) return;
    const r = new Reader(box.current, content.current);
    setReader(r);
    return () => r.close();
  }, []);
  const turns = view.value.turns, newest = turns[turns.length - 1]?.key ?? 0;
  useMoves(reader, newest);
  useEffect(() => setAll(false), [session.value?.id]);
  const from = all ? 0 : Math.max(0, turns.length - most);
  return (
    <div class="stage">
      <main class="conversation" ref={box} tabIndex={0} aria-label={t('turn.wb')}>
        <div class="content" ref={content}>
          {from > 0 && <button class="quiet fold" type="button" onClick={() => setAll(true)}>{t('turn.earlier', { count: from })}</button>}
          {turns.length === 0 && ready.value && (welcome.value ? <Welcome /> : <Suggestions />)}
          {turns.slice(from).map((x) => <TurnView key={x.key} turn={x} verbose={verbose.value} last={x.key === newest} />)}
        </div>
      </main>
      {reader && newest > 0 && <Moves reader={reader} />}
    </div>
  );
}

// useMoves brings a question that was just sent, or the newest of a session that was just opened, to the top.
function useMoves(reader: Reader | null, newest: number): void {
  const seen = useRef('');
  const id = session.value?.id ?? '';
  useLayoutEffect(() => {
    if (!reader || !newest) return;
    const own = awaited.peek() >= 0 && newest > awaited.peek();
    if (!own && seen.current === id) return;
    reader.toQuestion();
    awaited.value = -1;
    seen.current = id;
  }, [reader, newest, id]);
}

function Moves({ reader }: { reader: Reader }) {
  const p = reader.place.value, running = view.value.busy;
  return (
    <div class="moves">
      {p.pastQuestion && <button type="button" onClick={() => reader.toQuestion()}><Icon name="up" />{t('scroll.question')}</button>}
      {!p.atEnd && running && <button type="button" onClick={() => reader.toEnd(true)}><Icon name="down" />{t(waiting.value ? 'ask.waiting' : 'scroll.follow')}</button>}
      {!p.atEnd && !running && <button type="button" onClick={() => reader.toEnd(false)}><Icon name="down" />{t('scroll.latest')}</button>}
    </div>
  );
}
