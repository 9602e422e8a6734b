import { useRef, useState } from 'preact/hooks';
import { signal } from '@preact/signals';
import { t } from '../shared/i18n';
import type { Attachment } from '../shared/wire';
import { read } from './files';
import { Icon } from './icons';
import { Pickers } from './pickers';
import { failure, line, send, session, stop, unqueue, view } from './store';

const files = signal<Attachment[]>([]); // outlives a redraw of the composer, not the panel
export const draft = signal('');             // what is in the box
const complaints = signal<string[]>([]);

async function attach(list: Iterable<File>): Promise<void> {
  const { good, bad } = await read(list);
  files.value = [...files.value, ...good];
  complaints.value = bad;
}

// Composer is where a person speaks: text, files, mode and model, and Stop while a run is under way.
export function Composer() {
  const text = draft.value, setText = (v: string) => { draft.value = v; };
  const [over, setOver] = useState(false);
  const area = useRef<HTMLTextAreaElement>(null);
  const busy = view.value.busy, up = line.value === 'up' && session.value !== null;
  const submit = async () => {
    const said = text.trim();
    if (!up || !said) return;
    const had = files.value;
    setText('');
    files.value = complaints.value = [];
    if (await send(said, had)) return;
    setText(text); // nothing that was typed is lost
    files.value = had;
  };
  const key = (e: KeyboardEvent) => {
    if (e.key !== 'Enter' || e.shiftKey || e.isComposing) return;
    e.preventDefault();
    void submit();
  };
  const paste = (e: ClipboardEvent) => {
    if (!e.clipboardData?.files.length) return;
    e.preventDefault();
    void attach(Array.from(e.clipboardData.files));
  };
  const drop = (e: DragEvent) => {
    e.preventDefault();
    setOver(false);
    void attach(Array.from(e.dataTransfer?.files ?? []));
  };
  return (
    <form class={over ? 'composer over' : 'composer'} aria-label={t('composer.label')} onSubmit={(e) => { e.preventDefault(); void submit(); }}
      onDragOver={(e) => { e.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)} onDrop={drop}>
      <Queue />
      {[failure.value, ...complaints.value].filter(Boolean).map((c) => <p key={c} class="complaint" role="alert">{c}</p>)}
      <div class="field">
        <Files />
        {over && <p class="drop">{t('composer.drop')}</p>}
        <textarea ref={area} rows={2} dir="auto" aria-label={t('composer.label')} placeholder={t(busy ? 'composer.queue' : 'composer.placeholder')}
          value={text} onInput={(e) => setText(e.currentTarget.value)} onKeyDown={key} onPaste={paste} />
        <div class="tools">
          <AttachButton />
          <Pickers />
          {busy && <button class="stop" type="button" onClick={() => void stop()}><Icon name="stop" />{t('composer.stop')}</button>}
          {(!busy || text.trim() !== '') && <button class="send strong square" type="submit" disabled={!up || !text.trim()} aria-label={t('composer.send')} title={t('composer.send')}><Icon name="send" /></button>}
        </div>
      </div>
    </form>
  );
}

function AttachButton() {
  const input = useRef<HTMLInputElement>(null);
  const chosen = () => {
    const i = input.current;
    if (!i?.files) return;
    void attach(Array.from(i.files)).then(() => { i.value = ''; });
  };
  return (
    <>
      <input ref={input} type="file" multiple hidden onChange={chosen} />
      <button class="quiet square" type="button" aria-label={t('composer.attach')} title={t('composer.attach')} onClick={() => input.current?.click()}><Icon name="clip" /></button>
    </>
  );
}

function Files() {
  if (!files.value.length) return null;
  return (
    <ul class="files">
      {files.value.map((f, n) => (
        <li key={n}><Icon name="file" /><span>{f.name}</span>
          <button class="quiet square" type="button" aria-label={t('composer.remove', { name: f.name })} onClick={() => { files.value = files.value.filter((_, i) => i !== n); }}><Icon name="close" /></button>
        </li>
      ))}
    </ul>
  );
}

function Queue() {
  const q = view.value.queue;
  if (!q.length) return null;
  return (
    <section class="queue">
      <h3>{t('queue.title', { count: q.length })}</h3>
      <ul>
        {q.map((m) => (
          <li key={m.id}><span dir="auto">{m.text}</span>
            <button class="quiet square" type="button" aria-label={t('queue.remove', { text: m.text })} onClick={() => void unqueue(m.id)}><Icon name="close" /></button>
          </li>
        ))}
      </ul>
    </section>
  );
}
