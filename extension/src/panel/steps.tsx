import { t } from '../shared/i18n';
import { Badge, gist } from './toolline';
import type { Proof, Step } from './view';

// Steps is the timeline of a careful run: what it did to which control, and what came of it.
export function Steps({ steps }: { steps: Step[] }) {
  return (
    <section>
      <h3>{t('tool.steps')}</h3>
      <ol class="timeline">
        {steps.map((s, n) => (
          <li key={n} class={s.verdict}>
            <div class="row">
              <code class="name">{s.tool}</code>
              <span class="gist" dir="auto">{s.name ? `${s.role} “${s.name}”` : gist(s.args)}</span>
              <Badge verdict={s.verdict} />
            </div>
            {(s.reason || s.effects.length > 0) && <p class="faint" dir="auto">{s.reason || s.effects.join(' · ')}</p>}
          </li>
        ))}
      </ol>
    </section>
  );
}

// Evidence is what the outcome was held to, with what was found.
export function Evidence({ proof }: { proof: Proof[] }) {
  return (
    <section>
      <h3>{t('tool.evidence')}</h3>
      <ul class="evidence">
        {proof.map((p, n) => (
          <li key={n} class={p.passed ? 'done' : 'not_done'}>
            <strong>{p.passed ? t('tool.passed') : t('tool.failed')}</strong>
            <span dir="auto">{t('tool.expected')}: {p.expected}</span>
            {p.actual && <span class="faint" dir="auto">{t('tool.actual')}: {p.actual}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
