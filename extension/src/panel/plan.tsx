import { useState } from 'preact/hooks';
import { t } from '../shared/i18n';
import type { Question } from '../shared/wire';
import type { Say } from './card';
import { Icon } from './icons';
import { bag, list, str } from './edge';

// stepsOf reads steps as words or as objects that have some.
function stepsOf(q: Question): string[] {
  return list(bag(q.details).steps).map((s) => str(s) || str(bag(s).text) || str(bag(s).goal) || str(bag(s).title)).filter(Boolean);
}

// PlanBody is a plan that can be changed before it starts: the answer holds the steps as they stand.
export function PlanBody({ q, say }: { q: Question; say: Say }) {
  const [steps, setSteps] = useState(() => stepsOf(q));
  const put = (n: number, text: string) => setSteps(steps.map((s, i) => (i === n ? text : s)));
  const drop = (n: number) => setSteps(steps.filter((_, i) => i !== n));
  const up = (n: number) => setSteps(steps.map((s, i) => (i === n - 1 ? steps[n] : i === n ? steps[n - 1] : s) ?? ''));
  const left = steps.map((s) => s.trim()).filter(Boolean);
  return (
    <>
      <ol class="plan">
        {steps.map((s, n) => (
          <li key={n}>
            <textarea rows={Math.min(6, Math.ceil((s.length + 1) / 26))} dir="auto" aria-label={t('ask.step', { n: n + 1 })} value={s} onInput={(e) => put(n, e.currentTarget.value)} />
            <button class="quiet square" type="button" disabled={n === 0} aria-label={t('ask.upstep', { n: n + 1 })} onClick={() => up(n)}><Icon name="up" /></button>
            <button class="quiet square" type="button" aria-label={t('ask.dropstep', { n: n + 1 })} onClick={() => drop(n)}><Icon name="close" /></button>
          </li>
        ))}
      </ol>
      <button class="quiet" type="button" onClick={() => setSteps([...steps, ''])}><Icon name="plus" />{t('ask.addstep')}</button>
      <div class="buttons">
        <button type="button" onClick={() => say({ choice: 'deny' })}>{t('ask.discard')}</button>
        <button class="strong" type="button" disabled={!left.length} onClick={() => say({ choice: 'allow', data: { steps: left } })}>{t('ask.start')}</button>
      </div>
    </>
  );
}
