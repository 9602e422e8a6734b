// The few pieces that all sections are made of.
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { t } from './words';

export function Group({ title, hint, children }: { title: string; hint?: string; children: ComponentChildren }) {
  return (
    <section class="group">
      <h2>{title}</h2>
      {hint && <p class="faint">{hint}</p>}
      {children}
    </section>
  );
}

// Field is a label with its control, what there is to know about it, and by whom it is set where not here.
export function Field({ label, hint, by, children }: { label: string; hint?: string; by?: string; children: (id: string, hints: string | undefined) => ComponentChildren }) {
  const id = useId(), note = by ? t('do.lockedby', { by }) : hint;
  return (
    <div class="line">
      <label for={id}>{label}</label>
      <div class="control">
        {children(id, note ? id + '-note' : undefined)}
        {note && <p class="faint" id={id + '-note'}>{note}</p>}
      </div>
    </div>
  );
}

// Sure asks once more before what cannot be taken back; the harmless answer has the focus.
export function Sure({ text, yes, label, no }: { text: string; label: string; yes: () => Promise<unknown>; no: () => void }) {
  const keep = useRef<HTMLButtonElement>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => keep.current?.focus(), []);
  return (
    <div class="sure" role="group" aria-label={t('do.sure')}>
      <p>{text}</p>
      <div class="buttons">
        <button ref={keep} type="button" onClick={no}>{t('do.keep')}</button>
        <button class="danger" type="button" disabled={busy} onClick={() => { setBusy(true); void yes().finally(() => setBusy(false)); }}>{label}</button>
      </div>
    </div>
  );
}

// Risky is a button that asks first.
export function Risky({ label, text, yes, action }: { label: string; text: string; action: string; yes: () => Promise<unknown> }) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null), asked = useRef(false);
  useEffect(() => {
    if (!open && asked.current) button.current?.focus(); // back to where the person was
    asked.current = open;
  }, [open]);
  if (!open) return <button ref={button} class="danger" type="button" onClick={() => setOpen(true)}>{label}</button>;
  return <Sure text={text} label={action} no={() => setOpen(false)} yes={() => yes().then(() => setOpen(false))} />;
}
