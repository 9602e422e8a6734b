// Pairs without a code where `wb install` has told the browser of wb: the browser itself vouches for who asks.
import { kind, name, type Api } from '../platform';
import { pairing } from './kept';

const host = 'io.github.wb_agent.wb';

// pairNatively does nothing where there is a pairing already, or no wb that the browser knows.
export async function pairNatively(a: Api): Promise<void> {
  if (await pairing(a)) return;
  const answer = await a.runtime.sendNativeMessage(host, { kind: 'pair', name: name(), browser: kind }).catch(() => null);
  const p = answer as { url?: unknown; client?: unknown; token?: unknown } | null;
  if (typeof p?.url === 'string' && typeof p.client === 'string' && typeof p.token === 'string')
    await a.storage.local.set({ pairing: { url: p.url, client: p.client, token: p.token } });
}
