import { useEffect, useState } from 'preact/hooks';
import { languages } from '../shared/i18n';
import { Field, Group } from './parts';
import { locked, set, values } from './store';
import { t, type Key } from './words';

const themes: [string, Key][] = [['system', 'theme.system'], ['light', 'theme.light'], ['dark', 'theme.dark']];
const levels: [string, Key][] = [['0', 'verbose.0'], ['1', 'verbose.1'], ['2', 'verbose.2']];
const modes: [string, Key][] = [['ask', 'mode.ask'], ['act', 'mode.act'], ['dev', 'mode.dev']];

export function General() {
  const spoken = languages.map((l): [string, string] => [l, new Intl.DisplayNames([l], { type: 'language' }).of(l) ?? l]);
  return (
    <>
      <Group title={t('general.looks')}>
        <Choice setting="panel.locale" label={t('general.language')} options={[['', t('language.browser')], ...spoken]} />
        <Choice setting="panel.theme" label={t('general.theme')} options={themes.map(([v, k]) => [v, t(k)])} />
        <Choice setting="panel.verbose" label={t('general.verbose')} hint={t('general.verbose.hint')} options={levels.map(([v, k]) => [v, t(k)])} number />
      </Group>
      <Group title={t('general.runs')}>
        <Choice setting="mode" label={t('general.mode')} hint={t('general.mode.hint')} options={modes.map(([v, k]) => [v, t(k)])} />
        <Amount setting="max_steps" label={t('general.steps')} hint={t('general.steps.hint')} min={1} max={1000} />
        <Amount setting="timeout" label={t('general.timeout')} hint={t('general.timeout.hint')} min={0} max={10000} unit="m" />
      </Group>
    </>
  );
}

function Choice({ setting, label, hint, options, number }: { setting: string; label: string; hint?: string; options: [string, string][]; number?: boolean }) {
  const by = locked.value[setting];
  return (
    <Field label={label} hint={hint} by={by}>
      {(id, note) => (
        <select id={id} aria-describedby={note} disabled={!!by} value={String(values.value[setting] ?? '')} onChange={(e) => void set(setting, number ? Number(e.currentTarget.value) : e.currentTarget.value)}>
          {options.map(([v, text]) => <option key={v} value={v}>{text}</option>)}
        </select>
      )}
    </Field>
  );
}

const seconds: Record<string, number> = { h: 3600, m: 60, s: 1 };

// amountOf reads a Go duration such as 1h30m as so many of a unit; anything else is a plain number.
export function amountOf(v: unknown, unit: string): number {
  if (!unit) return Number(v);
  let sum = 0;
  for (const m of String(v).matchAll(/(\d+(?:\.\d+)?)(h|m|s)/g)) sum += Number(m[1]) * (seconds[m[2] ?? ''] ?? 0);
  return Math.round(sum / (unit === 'd' ? 86400 : seconds[unit] ?? 1));
}

// Amount is a number that is stored when the person leaves it or presses Enter; unit m or d makes it a duration.
export function Amount({ setting, label, hint, min, max, unit = '' }: { setting: string; label: string; hint?: string; min: number; max: number; unit?: '' | 'm' | 'd' }) {
  const by = locked.value[setting], now = amountOf(values.value[setting], unit);
  const [text, setText] = useState(String(now));
  useEffect(() => setText(String(now)), [now]);
  const store = () => {
    const n = Math.min(max, Math.max(min, Math.round(Number(text))));
    if (!Number.isFinite(n) || n === now) return setText(String(now));
    void set(setting, unit === 'm' ? `${n}m` : unit === 'd' ? `${n * 24}h` : n);
  };
  return (
    <Field label={label} hint={hint} by={by}>
      {(id, note) => <input id={id} type="number" inputMode="numeric" min={min} max={max} aria-describedby={note} disabled={!!by} value={text} onInput={(e) => setText(e.currentTarget.value)} onBlur={store} onKeyDown={(e) => { if (e.key === 'Enter') store(); }} />}
    </Field>
  );
}
