// While a tab is lent, the hook of src/page/hook.ts runs in the world of pages that are loaded, so that the page script
// sees what listens there. It tells nobody but the page script, when that asks.
import type { Api } from '../platform';
import type { Memory } from './kept';

const id = 'hook';

export class Hooks {
  private there = false;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private api: Api, private memory: Memory) {}

  // update is called when a tab is lent or given back.
  update(): Promise<unknown> {
    return this.turn = this.turn.then(() => this.change()).catch(() => undefined); // pages are then looked at without
  }

  private async change(): Promise<void> {
    const wanted = this.memory.now.tabs.length > 0;
    if (wanted === this.there) return;
    await this.api.scripting.unregisterContentScripts({ ids: [id] }).catch(() => undefined); // it is not there, mostly
    if (wanted) await this.api.scripting.registerContentScripts([{ id, js: ['hooked.js'], matches: ['<all_urls>'], allFrames: true, matchOriginAsFallback: true, runAt: 'document_start', world: 'MAIN', persistAcrossSessions: false }]);
    this.there = wanted;
  }
}
