// What the daemon and its clients say to each other: JSON-RPC 2.0, one text frame a message, over one
// WebSocket a client. The Go side is ports/relay (hello, pairing, the browser's commands) and ports/panel (runs
// and sessions); testdata/relay holds transcripts that both sides must read and write alike.
//
// A client is the extension's background ("relay": it lends tabs) or a panel ("panel": it shows runs).
// Numbers named `at` are milliseconds since 1970; `seq` grows by one for each event of a session.

export const version = 1;

export type Role = 'relay' | 'panel';

// The daemon speaks first: `challenge {nonce}`. The client answers with hello, whose proof shows that it holds
// the token without sending it: hex of HMAC-SHA-256(token, nonce + "\n" + role). A nonce is good for one hello.
export interface Challenge { nonce: string; version: number }
export interface Hello {
  version: number; role: Role; client: string; // id of the pairing
  proof: string;
  name: string;     // what a person calls it: "Chrome 156 on Linux"
  browser: string;  // chromium or firefox
  worker?: string;  // relay: changes each time the background starts anew
  epoch?: string;   // relay: the daemon's, as it was last told
  last?: number;    // relay: number of the last changing command that it began in that epoch
}
// epoch changes when the daemon starts anew; heard is the last `told` of this worker that has arrived.
export interface Welcome { version: number; daemon: string; epoch: string; heard?: number }

// A command to a relay, whose JSON-RPC id is its number, and what the relay tells, numbered from 1 in each worker.
export interface Command { changing?: boolean; args?: Record<string, unknown> }
export interface Told { n: number; method: string; params: unknown }

// Without a token: pair answers once a person has said yes on the daemon's side. Both sides show the code.
export interface Pair { version: number; name: string; browser: string }
export interface PairCode { code: string }              // notification pair.code
export interface Paired { client: string; token: string }

// One event of a session. `kind` is one of ports.Event's kinds (run_start, step, delta, tool_start, tool_end,
// note, progress, run_end …) or one of the daemon's own: user (what the person said), ask and answered (a
// question and what became of it), queued and unqueued (a message that waits for the run before it), warning.
export interface Event {
  seq: number; at: number; kind: string; run?: string; call?: string; tool?: string; text?: string; data?: unknown;
}
export interface Notified { session: string; events: Event[] } // notification `events`; deltas come one by one when live

export interface Delta { text?: string; reasoning?: string; id?: string; name?: string; args?: string; index?: number }
export interface Question {
  id: string; kind: 'clarify' | 'permission' | 'confirm' | 'plan' | 'continue';
  text: string; options?: string[]; reason?: string; details?: unknown; schema?: unknown; run?: string;
}
export interface Answer { choice: string; text?: string; scope?: 'once' | 'session' | 'always' | 'never'; data?: unknown }

export interface SessionInfo { id: string; title: string; at: number; status: string; url?: string; busy?: boolean }
export interface Attachment { name: string; mime: string; data: string } // data is base64
// model is what a run asks where nobody chose another; why says what is missing where it is not ready.
export interface ProviderInfo { id: string; model: string; family: string; vision?: boolean; local?: boolean; ready: boolean; why?: string }

// What the settings page shows. A key is told to the daemon and never comes back: `key` says where it lies.
export interface ProviderEntry extends ProviderInfo { base_url: string; context: number; tier: string; key: string; origin: string; own: boolean }
export interface NewProvider { id: string; family: string; base_url: string; model: string; context: number; vision: boolean; tier: string; key?: string }
export interface Offer { id: string; name: string; family: string; base_url: string; model: string; context: number; vision?: boolean; local?: boolean; keys?: string }
export interface Grant { origin: string; do: string[]; by: string; own: boolean } // own: the page may take it back
export interface LocalServer { kind: string; base_url: string; models: { id: string; context?: number; vision?: boolean }[] }
export interface Check { name: string; ok: boolean; note: string; fix?: string }
// What an exported file holds, or an imported one brought; known are conversations that were here already.
export interface Bundle { conversations: number; known: number; settings: string[]; providers: string[]; origins: string[]; keys: string[] }
export interface ClientInfo { id: string; name: string; browser?: string; at: number }

// The notification `changed` says that settings or providers are no longer as they were told, and with `forgotten`
// that conversations were deleted.
export interface Changed { forgotten?: boolean }

// Requests of a panel, by method: what is asked, what is answered.
export interface Methods {
  'state': [{}, { version: string; providers: ProviderInfo[]; provider: string; mode: string; locale: string; theme: string; verbose: number; welcome: boolean; paired: boolean }];
  'session.list': [{ query?: string; limit?: number }, { sessions: SessionInfo[] }];
  'session.open': [{ id?: string; tab?: string }, { session: SessionInfo; seq: number }]; // newest of the tab, or a new one
  'session.watch': [{ id: string; since: number }, { seq: number }]; // events come as notifications from now on
  'session.leave': [{ id: string }, {}];
  'session.delete': [{ id: string }, {}];
  'run.start': [{ session: string; text: string; mode: string; provider?: string; model?: string; tab?: string; url?: string; attachments?: Attachment[] }, { run?: string; queued?: string }];
  'run.stop': [{ session: string }, {}];
  'run.unqueue': [{ session: string; id: string }, {}];
  'ask.answer': [{ id: string; answer: Answer }, {}];
  'payload': [{ run: string; call: string }, { request: unknown; reply: unknown }]; // what the model was sent, exactly
  'models': [{ provider: string }, { models: string[] }];
  'settings.get': [{}, { values: Record<string, unknown>; locked: Record<string, string> }]; // locked: by what, where the page cannot
  'settings.set': [{ key: string; value: unknown }, {}];
  'providers.list': [{}, { providers: ProviderEntry[]; catalog: Offer[]; provider: string; locked?: string }];
  'providers.save': [NewProvider, {}];
  'providers.remove': [{ id: string }, {}];
  'providers.test': [{ id: string }, { ms: number; text: string }];
  'providers.window': [{ base_url: string; model: string }, { context: number }];
  'local.find': [{}, { servers: LocalServer[] }];
  'sample.open': [{}, { url: string }];
  'about': [{}, { version: string; address: string; paths: Record<string, string> }];
  'doctor': [{}, { checks: Check[] }];
  'data.summary': [{}, { conversations: number; runs: number; bytes: number; keys: string[]; clients: number }];
  'data.export': [{ passphrase?: string }, { name: string; data: string }]; // keys come along only with a passphrase; data is base64
  'data.import': [{ data: string; passphrase?: string; apply: boolean }, Bundle]; // without apply it only says what would come
  'data.delete': [{ what: 'conversations' | 'everything' }, {}];
  'grants.list': [{}, { grants: Grant[] }];
  'grants.add': [{ origin: string }, {}];
  'grants.revoke': [{ origin: string }, {}];
  'clients.list': [{}, { clients: ClientInfo[] }];
  'clients.revoke': [{ id: string }, {}];
}

export interface Failure { code: number; message: string; data?: { code: string; fix?: string } }
