// JSON-RPC 2.0 with the daemon over one WebSocket: challenge, hello, requests, notifications, and coming back
// when the line breaks. It knows nothing of sessions: watch.ts resumes them on every `up`.
import { version, type Challenge, type Hello, type Pair, type Paired, type PairCode, type Role, type Welcome, type Failure } from './wire';

// Pairing is where the daemon is and what proves that it knows us. The token never leaves this module.
export interface Pairing { url: string; client: string; token: string }

export type Line = 'connecting' | 'up' | 'down' | 'unpaired' | 'refused';

export class RemoteError extends Error {
  constructor(readonly code: string, message: string, readonly fix: string) { super(message); }
}

export interface PeerOptions {
  role: Role; name: string; browser: string;
  pairing: () => Promise<Pairing | null>; // asked before each attempt
  onLine: (line: Line, why: string) => void;
  onNotify: (method: string, params: unknown) => void;
  hello?: () => Partial<Hello>; // what a relay adds
  onRequest?: (method: string, params: unknown, id: number) => Promise<unknown>;
  onWelcome?: (w: Welcome) => Promise<void>; // before `up`
}

interface Waiting { resolve: (v: unknown) => void; reject: (e: Error) => void }
interface Frame { id?: number; method?: string; params?: unknown; result?: unknown; error?: Failure }

const first = 100, longest = 5000, patience = 10_000; // milliseconds

export class Peer {
  private socket: WebSocket | null = null;
  private waiting = new Map<number, Waiting>();
  private id = 0;
  private pause = first;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private up = false;
  private ended = false;

  constructor(private o: PeerOptions) {}

  start(): void { this.ended = false; void this.dial(); }

  // stop closes the line for good; what still waits is told so.
  stop(): void { this.ended = true; clearTimeout(this.timer); this.socket?.close(); }

  // again tries at once, as when a person presses the button or the network came back.
  again(): void {
    if (this.up || this.ended) return;
    clearTimeout(this.timer);
    this.pause = first;
    const old = this.socket;
    this.socket = null;
    old?.close();
    void this.dial();
  }

  // call asks the daemon. It rejects with a RemoteError of code "gone" when the line is down or breaks.
  call(method: string, params: unknown): Promise<unknown> {
    if (!this.up) return Promise.reject(new RemoteError('gone', 'the daemon is not there', 'run: wb up'));
    return this.request(method, params);
  }

  // notify tells the daemon; what cannot be sent is dropped.
  notify(method: string, params: unknown): void { this.write({ method, params }); }

  private request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.id;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.write({ id, method, params });
    });
  }

  private write(f: Frame): void {
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify({ jsonrpc: '2.0', ...f }));
  }

  private async dial(): Promise<void> {
    const p = await this.o.pairing().catch(() => null);
    if (this.ended) return;
    if (!p) return this.o.onLine('unpaired', '');
    this.o.onLine('connecting', '');
    let s: WebSocket;
    try { s = new WebSocket(p.url); } catch (e) { return this.lost(String(e)); }
    this.socket = s;
    const slow = setTimeout(() => s.close(), patience); // a socket that opens and says nothing
    s.onmessage = (m) => { if (this.socket === s && typeof m.data === 'string') this.read(m.data, p, slow); };
    s.onclose = (c) => { clearTimeout(slow); if (this.socket === s) this.lost(c.reason); };
  }

  private read(text: string, p: Pairing, slow: ReturnType<typeof setTimeout>): void {
    let f: Frame;
    try { f = JSON.parse(text) as Frame; } catch { return this.socket?.close(1007, 'not JSON'); }
    if (typeof f !== 'object' || f === null) return;
    if (f.method === 'challenge' && !this.up) return void this.greet(f.params as Challenge, p, slow);
    if (f.method !== undefined && f.id !== undefined) return void this.serve(f.id, f.method, f.params);
    if (f.method !== undefined) return this.o.onNotify(f.method, f.params);
    const w = f.id === undefined ? undefined : this.waiting.get(f.id);
    if (!w || f.id === undefined) return;
    this.waiting.delete(f.id);
    if (f.error) w.reject(remote(f.error));
    else w.resolve(f.result);
  }

  private async greet(c: Challenge, p: Pairing, slow: ReturnType<typeof setTimeout>): Promise<void> {
    const mine = this.socket;
    try {
      const hello: Hello = { version, role: this.o.role, client: p.client, proof: await prove(p.token, c.nonce, this.o.role), name: this.o.name, browser: this.o.browser, ...this.o.hello?.() };
      const w = await (this.request('hello', hello) as Promise<Welcome>);
      if (this.socket !== mine) return;
      await this.o.onWelcome?.(w);
      clearTimeout(slow);
      this.up = true;
      this.pause = first;
      this.o.onLine('up', '');
    } catch (e) {
      if (this.socket !== mine || !(e instanceof RemoteError) || e.code === 'gone') return; // lost() tells
      this.socket = null;
      mine?.close();
      this.o.onLine('refused', e.message);
    }
  }

  private async serve(id: number, method: string, params: unknown): Promise<void> {
    const mine = this.socket;
    const answer: Frame = { id };
    try {
      if (!this.o.onRequest) throw new Error(method + ': not known here');
      answer.result = (await this.o.onRequest(method, params, id)) ?? {};
    } catch (e) {
      answer.error = { code: -32000, message: e instanceof Error ? e.message : String(e), ...coded(e) };
    }
    if (this.socket === mine) this.write(answer);
  }

  private lost(why: string): void {
    this.up = false;
    this.socket = null;
    for (const w of this.waiting.values()) w.reject(new RemoteError('gone', 'the daemon went away', 'run: wb up'));
    this.waiting.clear();
    if (this.ended) return;
    this.o.onLine('down', why);
    this.timer = setTimeout(() => void this.dial(), this.pause);
    this.pause = Math.min(this.pause * 2, longest);
  }
}

// coded keeps the code and the fix of an error that has them.
function coded(e: unknown): Pick<Failure, 'data'> {
  const c = e as { code?: unknown; fix?: unknown } | null;
  return typeof c?.code === 'string' ? { data: { code: c.code, fix: typeof c.fix === 'string' ? c.fix : '' } } : {};
}

function remote(e: Failure): RemoteError {
  return new RemoteError(e.data?.code ?? String(e.code), e.message, e.data?.fix ?? '');
}

// prove is hex of HMAC-SHA-256(token, nonce + "\n" + role).
export async function prove(token: string, nonce: string, role: Role): Promise<string> {
  const utf8 = new TextEncoder();
  const key = await crypto.subtle.importKey('raw', utf8.encode(token), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const mac = await crypto.subtle.sign('HMAC', key, utf8.encode(nonce + '\n' + role));
  return Array.from(new Uint8Array(mac), (b) => b.toString(16).padStart(2, '0')).join('');
}

// pair asks a daemon that does not know us; onCode gets the six digits that both sides show. The answer comes
// when a person has said yes over there, and is an error when they said no.
export function pair(url: string, ask: Omit<Pair, 'version'>, onCode: (code: string) => void): Promise<Pairing> {
  return new Promise((resolve, reject) => {
    const s = new WebSocket(url);
    s.onclose = (c) => reject(new RemoteError('gone', c.reason || 'the daemon is not there', 'run: wb up'));
    s.onmessage = (m) => {
      const f = JSON.parse(String(m.data)) as Frame;
      if (f.method === 'challenge') s.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pair', params: { version, ...ask } }));
      else if (f.method === 'pair.code') onCode((f.params as PairCode).code);
      else if (f.id === 1) {
        if (f.error) reject(remote(f.error));
        else resolve({ url, ...(f.result as Paired) });
        s.close();
      }
    };
  });
}
