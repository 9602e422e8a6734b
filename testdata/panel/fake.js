// A daemon inside the page, for tests of the panel: it takes the place of WebSocket before the panel starts,
// speaks the protocol of extension/src/shared/wire.ts, and keeps its events in sessionStorage, so that they
// outlive a reload as the daemon's do. Tests drive it through window.fake.
(() => {
  const session = { id: 's1', title: '', at: Date.parse('2026-11-30T10:00:00Z'), status: '' };
  const kept = JSON.parse(sessionStorage.getItem('fake') ?? '{"events":[]}');
  const fake = window.fake = {
    events: kept.events, calls: [], sockets: [], online: true, epoch: 'e1', refuse: '', fail: {}, sessions: [session], live: true, answered: true, text: '',
    state: {
      version: '0.1', provider: 'local', mode: 'act', locale: new URLSearchParams(location.search).get('locale') ?? 'en', paired: true,
      providers: [
        { id: 'local', model: 'qwen3-8b', family: 'openai', ready: true, local: true },
        { id: 'cloud', model: 'large-2', family: 'anthropic', ready: true },
        { id: 'other', model: 'mini', family: 'openai', ready: false, why: 'no key' },
      ],
    },
    // emit appends events; those without a seq get the next, and the panel hears of them at once.
    emit(...events) {
      for (const e of events) {
        e.seq ??= fake.events.length + 1;
        e.at ??= session.at + e.seq * 40;
        fake.events.push(e);
      }
      fake.sockets.forEach((s) => s.watching && s.say({ method: 'events', params: { session: session.id, events } }));
    },
    async load(name) { fake.emit(...(await (await fetch(`/cases/${name}.json`)).json())); },
    // stream sends text as deltas of a few letters, at so many a second, and resolves at the end of it.
    stream(text, perSecond, letters = 5) {
      const parts = text.match(new RegExp(`[^]{1,${letters}}`, 'gu')) ?? [];
      const began = performance.now();
      return new Promise((done) => {
        let n = 0;
        const timer = setInterval(() => {
          const due = Math.min(parts.length, Math.floor((performance.now() - began) * perSecond / 1000));
          while (n < due) fake.emit({ kind: 'delta', run: 'r1', data: { text: parts[n++] } });
          if (n === parts.length) { clearInterval(timer); done(n); }
        }, 5);
      });
    },
    drop() { fake.sockets.slice().forEach((s) => s.close()); },
    said(method) { return fake.calls.filter((c) => c.method === method).map((c) => c.params); },
  };

  addEventListener('pagehide', () => { if (fake.events.length < 2000) sessionStorage.setItem('fake', JSON.stringify({ events: fake.events })); });

  const methods = {
    hello: () => { if (fake.refuse) throw { code: -32001, message: fake.refuse }; return { version: 1, daemon: 'fake', epoch: fake.epoch }; },
    state: () => fake.state,
    'session.list': ({ query }) => ({ sessions: fake.sessions.filter((s) => !query || s.title.toLowerCase().includes(query.toLowerCase())) }),
    'session.open': ({ id }) => ({ session: fake.sessions.find((s) => s.id === id) ?? session, seq: fake.events.length }),
    'session.watch': ({ id, since }, s) => {
      s.watching = true;
      const past = id === session.id ? fake.events.filter((e) => e.seq > since) : [];
      if (past.length) s.say({ method: 'events', params: { session: id, events: past } });
      return { seq: fake.events.length };
    },
    'session.leave': (_, s) => { s.watching = false; return {}; },
    'session.delete': ({ id }) => { fake.sessions = fake.sessions.filter((s) => s.id !== id); return {}; },
    'run.start': (p) => {
      const busy = fake.events.filter((e) => e.kind === 'user').length > fake.events.filter((e) => e.kind === 'run_end').length;
      if (busy) fake.emit({ kind: 'queued', text: p.text, data: { id: 'q' + fake.events.length } });
      else fake.emit({ kind: 'user', text: p.text, data: { attachments: p.attachments } }, { kind: 'run_start', run: 'r1', text: p.text, data: { mode: p.mode, provider: 'local', model: 'qwen3-8b' } });
      return { run: 'r1' };
    },
    'run.stop': () => { fake.emit({ kind: 'run_end', run: 'r1', data: { status: 'stopped' } }); return {}; },
    'run.unqueue': ({ id }) => { fake.emit({ kind: 'unqueued', data: { id } }); return {}; },
    'ask.answer': ({ id, answer }) => { fake.emit({ kind: 'answered', data: { id, answer } }); return {}; },
    payload: ({ run, call }) => ({ request: { run, call, messages: [{ role: 'user', content: 'exactly this' }] }, reply: { text: 'and this' } }),
    ...settings(fake),
    models: ({ provider }) => ({ models: [provider + '-small', provider + '-large'] }),
  };

  // settings are what the settings page and the first steps ask; what they change is kept in fake.set.
  function settings(fake) {
    fake.set = {
      providers: [
        { id: 'openai', model: 'gpt-5.6-terra', family: 'openai', vision: true, ready: true, base_url: 'https://api.openai.com/v1', context: 272000, tier: 'full', key: 'keyring', origin: 'defaults', own: true },
        { id: 'ollama', model: 'qwen3:8b', family: 'openai', local: true, ready: true, base_url: 'http://127.0.0.1:11434/v1', context: 16384, tier: 'mid', key: '', origin: 'settings.json', own: true },
        { id: 'team-gateway', model: '', family: 'openai', ready: false, why: 'no model is set', base_url: 'https://models.corporation-with-a-long-name.example/gateway/v1', context: 128000, tier: 'full', key: 'environment', origin: '/home/ada/.config/wb/config.yaml', own: false },
      ],
      catalog: [
        { id: 'anthropic', name: 'Anthropic', family: 'anthropic', base_url: 'https://api.anthropic.com', model: 'claude-sonnet-5', context: 1000000, vision: true, keys: 'https://console.anthropic.com/settings/keys' },
        { id: 'ollama', name: 'Ollama', family: 'openai', base_url: 'http://localhost:11434/v1', model: '', context: 16384, local: true },
        { id: 'openai', name: 'OpenAI', family: 'openai', base_url: 'https://api.openai.com/v1', model: 'gpt-5.6-terra', context: 272000, vision: true, keys: 'https://platform.openai.com/api-keys' },
      ],
      values: { mode: 'act', max_steps: 130, timeout: '0s', 'panel.locale': fake.state.locale, 'panel.theme': 'system', 'panel.verbose': 1, 'retention.runs': 500, 'retention.age': '720h', 'retention.size_mb': 1024 },
      locked: { max_steps: '/home/ada/project/wb.yaml' },
      grants: [{ origin: 'https://shop.example', do: ['write'], by: 'settings.json', own: true }, { origin: '*', do: ['pay', 'delete'], by: '/home/ada/policy.yaml', own: false }],
      clients: [{ id: 'c', name: 'Chrome 156 on Linux', browser: 'chromium', at: 1796000000000 }, { id: 'terminal', name: "this computer's terminal", at: 1796000000000 }],
      servers: [{ kind: 'ollama', base_url: 'http://127.0.0.1:11434/v1', models: [{ id: 'qwen3:8b', context: 8192 }, { id: 'gemma3:4b', vision: true }] }],
      brings: { conversations: 3, known: 1, settings: ['mode', 'panel.theme'], providers: ['team: https://models.example/v1'], origins: ['https://shop.example'], keys: ['OPENAI'] },
      checks: [{ name: 'storage', ok: true, note: '/home/ada/.local/share/wb/wb.db' }, { name: 'browser', ok: true, note: '/usr/bin/chromium' }, { name: 'model openai', ok: false, note: 'secret OPENAI is not set; looked in: environment, keyring, file', fix: 'set WB_SECRET_OPENAI, or run wb secret set OPENAI' }],
    };
    const changed = () => fake.sockets.forEach((s) => s.say({ method: 'changed', params: {} }));
    return {
      'settings.get': () => ({ values: fake.set.values, locked: fake.set.locked }),
      'settings.set': ({ key, value }) => { fake.set.values[key] = value; if (key === 'panel.locale') fake.state.locale = value; changed(); return {}; },
      'providers.list': () => ({ providers: fake.set.providers, catalog: fake.set.catalog, provider: 'openai' }),
      'providers.save': (p) => {
        fake.set.providers = [...fake.set.providers.filter((x) => x.id !== p.id), { ...p, ready: true, key: p.key ? 'file' : '', origin: 'settings.json', own: true }];
        changed();
        return {};
      },
      'providers.remove': ({ id }) => { fake.set.providers = fake.set.providers.filter((x) => x.id !== id); changed(); return {}; },
      'providers.test': () => ({ ms: 412, text: 'ready' }),
      'providers.window': () => ({ context: 8192 }),
      'local.find': () => ({ servers: fake.set.servers }),
      'sample.open': () => ({ url: 'http://127.0.0.1:40000/' }),
      about: () => ({ version: '0.1', address: '127.0.0.1:7717', paths: { data: '/home/ada/.local/share/wb', settings: '/home/ada/.local/share/wb/settings.json', cache: '/home/ada/.cache/wb', log: '/home/ada/.local/share/wb/serve.log', plugins: '/home/ada/.local/share/wb/plugins' } }),
      doctor: () => ({ checks: fake.set.checks }),
      'grants.list': () => ({ grants: fake.set.grants }),
      'grants.add': ({ origin }) => { fake.set.grants.push({ origin, do: ['write'], by: 'settings.json', own: true }); changed(); return {}; },
      'grants.revoke': ({ origin }) => { fake.set.grants = fake.set.grants.filter((g) => g.origin !== origin); changed(); return {}; },
      'clients.list': () => ({ clients: fake.set.clients }),
      'clients.revoke': ({ id }) => { fake.set.clients = fake.set.clients.filter((c) => c.id !== id); return {}; },
      'data.summary': () => ({ conversations: 12, runs: 34, bytes: 5_800_000, keys: ['OPENAI'], clients: 2 }),
      'data.export': () => ({ name: 'wb-2026-12-01.json.gz', data: 'e30=' }),
      'data.import': () => fake.set.brings,
      'data.delete': () => ({}),
    };
  }

  window.WebSocket = class {
    readyState = 0;
    constructor() {
      fake.sockets.push(this);
      setTimeout(() => {
        if (!fake.online) return this.close();
        this.readyState = 1;
        this.say({ method: 'challenge', params: { nonce: 'n', version: 1 } });
      }, 0);
    }
    say(f) { const data = JSON.stringify({ jsonrpc: '2.0', ...f }); setTimeout(() => this.readyState === 1 && this.onmessage?.({ data }), 0); }
    send(text) {
      const f = JSON.parse(text);
      fake.calls.push(f);
      if (f.method === 'pair') {
        this.say({ method: 'pair.code', params: { code: '493817' } });
        fake.confirm = () => this.say({ id: f.id, result: { client: 'c1', token: 'secret' } });
        return;
      }
      try {
        if (fake.fail[f.method]) throw fake.fail[f.method];
        const m = methods[f.method];
        if (!m) throw { code: -32601, message: f.method + ': not known' };
        this.say({ id: f.id, result: m(f.params ?? {}, this) });
      } catch (e) { this.say({ id: f.id, error: { code: e.code ?? -32000, message: e.message, data: e.data } }); }
    }
    close() {
      if (this.readyState === 3) return;
      this.readyState = 3;
      fake.sockets = fake.sockets.filter((s) => s !== this);
      setTimeout(() => this.onclose?.({ reason: '' }), 0);
    }
  };
})();
