import { effect, signal } from '@preact/signals';
import { t, type Key } from '../shared/i18n';
import { bag, list, str } from './edge';
import { ask, mode, model, pick, provider, providers } from './store';

const modes: [string, Key, Key][] = [['ask', 'mode.ask', 'mode.ask.hint'], ['act', 'mode.act', 'mode.act.hint'], ['dev', 'mode.dev', 'mode.dev.hint']];
const models = signal<Record<string, string[]>>({}); // of each provider, once asked for

effect(() => { if (providers.value) models.value = {}; }); // what was set up anew may offer others

async function load(id: string): Promise<void> {
  if (!id || models.value[id]) return;
  const got = await ask('models', { provider: id }).catch(() => ({ models: [] }));
  models.value = { ...models.value, [id]: list(got.models).map((m) => str(m) || str(bag(m).id)).filter(Boolean) };
}

// Pickers are mode and model, as two quiet selects.
export function Pickers() {
  const chosen = providers.value.find((p) => p.id === provider.value);
  const others = models.value[provider.value] ?? [];
  return (
    <>
      <select class="pick mode" aria-label={t('composer.mode')} value={mode.value} onChange={(e) => { mode.value = e.currentTarget.value; }}>
        {modes.map(([id, name, hint]) => <option key={id} value={id} title={t(hint)}>{t(name)}</option>)}
      </select>
      {providers.value.length > 0 && (
        <select class="pick model" aria-label={t('composer.model')} value={provider.value + ' ' + model.value} onFocus={() => void load(provider.value)} onPointerDown={() => void load(provider.value)} onChange={(e) => { const [id = '', ...m] = e.currentTarget.value.split(' '); pick(id, m.join(' ')); void load(id); }}>
          {providers.value.map((p) => <option key={p.id} value={p.id + ' '} disabled={!p.ready} title={p.why}>{p.model ? `${p.model} (${p.id})` : p.id}</option>)}
          {chosen && others.length > 0 && <optgroup label={chosen.id}>{others.filter((m) => m !== chosen.model).map((m) => <option key={m} value={`${chosen.id} ${m}`}>{m}</option>)}</optgroup>}
        </select>
      )}
    </>
  );
}
