// What the panel shows of a session, made from its events alone: reduce is pure, so that a panel that comes
// late or comes back ends with the same picture. Unchanged parts keep their identity, so only what changed is
// drawn again.
import type { Event as Sent, Question, Answer } from '../shared/wire';
import { bag, kindOf, list, num, plain, proofs, stepOf, str, verdictOf, type Event } from './edge';
import type { AskItem, File, Item, NoteItem, StepItem, TextItem, ToolItem, Turn, View } from './view';

// reduce adds events to a view; those it has seen already are passed over.
export function reduce(view: View, events: Sent[]): View {
  const d = new Draft(view);
  for (const raw of events) {
    const e = plain(raw);
    if (e.seq <= d.view.seq) continue;
    d.view.seq = e.seq;
    take(d, e);
  }
  return d.view;
}

// Draft copies each part once, when it is first changed.
class Draft {
  view: View;
  private mine = new Set<object>();
  constructor(v: View) { this.view = { ...v, turns: v.turns.slice(), queue: v.queue, warnings: v.warnings }; }

  // turn is the newest one, to be changed; an event without a question before it opens an empty one.
  turn(e: Event): Turn {
    const n = this.view.turns.length - 1;
    const last = this.view.turns[n];
    if (!last) return this.open(e, '', []);
    if (this.mine.has(last)) return last;
    const copy = { ...last, items: last.items.slice() };
    this.view.turns[n] = copy;
    this.mine.add(copy);
    return copy;
  }

  open(e: Event, question: string, files: File[]): Turn {
    const t: Turn = { key: e.seq, at: e.at, question, files, run: '', provider: '', items: [], end: null };
    this.view.turns.push(t);
    this.mine.add(t);
    return t;
  }

  // item is the newest of the turn that fits, to be changed.
  item<T extends Item>(t: Turn, fits: (i: Item) => i is T): T | null {
    for (let n = t.items.length - 1; n >= 0; n--) {
      const i = t.items[n];
      if (!i || !fits(i)) continue;
      if (this.mine.has(i)) return i;
      const copy = { ...i };
      t.items[n] = copy;
      this.mine.add(copy);
      return copy;
    }
    return null;
  }

  add<T extends Item>(t: Turn, i: T): T { t.items.push(i); this.mine.add(i); return i; }
}

function take(d: Draft, e: Event): void {
  switch (e.kind) {
    case 'user': return void said(d, e);
    case 'run_start': return began(d, e);
    case 'delta': return streamed(d, e);
    case 'tool_start': return toolBegan(d, e);
    case 'tool_end': return toolEnded(d, e);
    case 'progress': return progressed(d, e);
    case 'step': return stepped(d, e);
    case 'ask': return asked(d, e);
    case 'answered': return answered(d, e);
    case 'note': return noted(d, e);
    case 'warning': if (e.text) d.view.warnings = [...d.view.warnings, { kind: 'warning', key: e.seq, text: e.text }]; return;
    case 'queued': d.view.queue = [...d.view.queue, { id: str(bag(e.data).id) || String(e.seq), text: e.text }]; return;
    case 'unqueued': d.view.queue = d.view.queue.filter((q) => q.id !== str(bag(e.data).id)); return;
    case 'run_end': return ended(d, e);
  }
}

function said(d: Draft, e: Event): void {
  const b = bag(e.data);
  const files = list(b.attachments ?? b.files).map((a) => ({ name: str(a) || str(bag(a).name), mime: str(bag(a).mime) }));
  d.open(e, e.text, files);
  d.view.busy = true;
}

function began(d: Draft, e: Event): void {
  let t = d.turn(e);
  if (t.run || t.end) t = d.open(e, e.text, []); // a run that no message started, as one resumed
  t.run = e.run;
  const b = bag(e.data);
  t.provider = [str(b.provider), str(b.model)].filter(Boolean).join(' · ');
  d.view.busy = true;
}

const isText = (i: Item): i is TextItem => i.kind === 'text';

function streamed(d: Draft, e: Event): void {
  const b = bag(e.data), t = d.turn(e), last = t.items[t.items.length - 1];
  if (b.reset === true) { // the answer is asked for once more: what came so far is void
    const open = last && isText(last) ? d.item(t, isText) : null;
    if (open) open.text = open.thought = '';
  }
  const text = str(b.text) || (e.data === null ? e.text : ''), thought = str(b.reasoning);
  if (!text && !thought) return;
  const into = last && isText(last) && last.open ? d.item(t, isText) : d.add<TextItem>(t, { kind: 'text', key: e.seq, text: '', thought: '', open: true });
  if (!into) return;
  into.text += text;
  into.thought += thought;
}

function closeText(d: Draft, t: Turn): void {
  const last = t.items[t.items.length - 1];
  if (last && isText(last) && last.open) { const i = d.item(t, isText); if (i) i.open = false; }
}

function toolBegan(d: Draft, e: Event): void {
  const t = d.turn(e);
  closeText(d, t);
  d.add<ToolItem>(t, { kind: 'tool', key: e.seq, tool: e.tool, call: e.call, run: e.run, args: e.data, result: '', data: null, verdict: 'running', reason: '', steps: [], proof: [], progress: 0 });
}

const isRunning = (e: Event) => (i: Item): i is ToolItem =>
  i.kind === 'tool' && i.verdict === 'running' && i.tool === e.tool && i.run === e.run;

function toolEnded(d: Draft, e: Event): void {
  const t = d.turn(e), i = d.item(t, isRunning(e));
  if (!i) return;
  const b = bag(e.data), r = 'receipt' in b ? bag(b.receipt) : b;
  i.call = e.call || i.call;
  i.result = e.text;
  i.data = e.data;
  i.verdict = verdictOf(str(r.verdict), b.error === true);
  i.reason = str(r.reason);
  i.steps = list(r.trail ?? b.trail).map(stepOf);
  i.proof = proofs(r.expected ?? r.evidence);
}

function progressed(d: Draft, e: Event): void {
  const i = d.item(d.turn(e), (x): x is ToolItem => x.kind === 'tool' && x.verdict === 'running');
  const total = num(bag(e.data).total);
  if (i && total > 0) i.progress = Math.min(1, num(bag(e.data).progress) / total);
}

function stepped(d: Draft, e: Event): void {
  const t = d.turn(e);
  closeText(d, t);
  d.add<StepItem>(t, { kind: 'step', key: e.seq, run: e.run, call: e.call, step: num(bag(e.data).step), of: num(bag(e.data).of) });
}

function asked(d: Draft, e: Event): void {
  const b = bag(e.data), t = d.turn(e);
  closeText(d, t);
  const q: Question = { id: str(b.id), kind: kindOf(str(b.kind)), text: str(b.text) || e.text, options: list(b.options).map(str).filter(Boolean), reason: str(b.reason), details: b.details, schema: b.schema };
  d.add<AskItem>(t, { kind: 'ask', key: e.seq, question: q, answer: null, closed: false });
}

function answered(d: Draft, e: Event): void {
  const b = bag(e.data), id = str(b.id), a = 'answer' in b ? bag(b.answer) : b;
  const i = d.item(d.turn(e), (x): x is AskItem => x.kind === 'ask' && x.question.id === id);
  if (!i) return;
  i.closed = true;
  if (str(a.choice)) i.answer = { choice: str(a.choice), text: str(a.text), scope: a.scope as Answer['scope'], data: a.data };
}

function noted(d: Draft, e: Event): void {
  const text = e.text;
  if (text) d.add<NoteItem>(d.turn(e), { kind: text.startsWith('compacted') ? 'compacted' : 'note', key: e.seq, text });
}

function ended(d: Draft, e: Event): void {
  const t = d.turn(e), b = bag(e.data), u = bag(b.usage);
  if (t.run && e.run && t.run !== e.run) return; // a run within a run
  closeText(d, t);
  t.items.forEach((i, n) => { // nothing waits any longer
    if (i.kind === 'tool' && i.verdict === 'running') t.items[n] = { ...i, verdict: 'unknown' };
    if (i.kind === 'ask' && !i.closed) t.items[n] = { ...i, closed: true };
  });
  t.end = { status: str(b.status), summary: e.text || str(b.summary), reason: str(b.reason), input: num(u.input), output: num(u.output), cached: num(u.cache_read), cost: num(b.cost), ms: e.at - t.at, proof: proofs(b.evidence) };
  d.view.busy = false;
}
