import { useState } from 'preact/hooks';
import { t } from '../shared/i18n';
import { payload } from './store';
import { Source } from './toolline';

// Payload shows, when asked, exactly what the model was sent for a step and what it said.
export function Payload({ run, call }: { run: string; call: string }) {
  const [got, setGot] = useState<{ request: unknown; reply: unknown } | null>(null);
  if (!run && !call) return null;
  if (!got) return <button class="quiet" type="button" onClick={() => void payload(run, call).then((p) => p && setGot(p))}>{t('payload.show')}</button>;
  return (
    <div class="payload">
      <Source title={t('payload.request')} value={got.request} />
      <Source title={t('payload.reply')} value={got.reply} />
      <button class="quiet" type="button" onClick={() => setGot(null)}>{t('payload.hide')}</button>
    </div>
  );
}
