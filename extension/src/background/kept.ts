// What the background must remember when it is stopped and started again. storage.session lives as long as the
// browser and is never written to the disk.
import type { Api } from '../platform';

export interface Kept { epoch: string; last: number; tabs: number[]; opened: number[] }

export class Memory {
  // onTabs hears of the tabs that are lent, whenever they may have changed.
  onTabs: (tabs: number[]) => void = () => undefined;

  private constructor(private api: Api, readonly now: Kept) {}

  static async load(api: Api): Promise<Memory> {
    const { kept } = await api.storage.session.get('kept');
    const k = kept as Partial<Kept> | undefined;
    return new Memory(api, { epoch: k?.epoch ?? '', last: k?.last ?? 0, tabs: k?.tabs ?? [], opened: k?.opened ?? [] });
  }

  // save resolves once the browser holds it: what is begun after that is never begun unseen.
  save(change: Partial<Kept>): Promise<void> {
    Object.assign(this.now, change);
    if (change.tabs) this.onTabs(change.tabs);
    return this.api.storage.session.set({ kept: this.now });
  }

  lend(tab: number): Promise<void> { return this.save({ tabs: [...new Set([...this.now.tabs, tab])] }); }
  unlend(tab: number): Promise<void> { return this.save({ tabs: this.now.tabs.filter((t) => t !== tab) }); }
}

export interface Paired { url: string; client: string; token: string }

export async function pairing(api: Api): Promise<Paired | null> {
  const p = (await api.storage.local.get('pairing')).pairing as Partial<Paired> | undefined;
  return p && typeof p.url === 'string' && typeof p.client === 'string' && typeof p.token === 'string' ? { url: p.url, client: p.client, token: p.token } : null;
}
