// Where wire data becomes values of known types: what is not there, or of another type, reads as empty.
import type { Event as Sent, Question } from '../shared/wire';
import type { Proof, Step, Verdict } from './view';

type Bag = Record<string, unknown>;
export const bag = (v: unknown): Bag => (typeof v === 'object' && v !== null && !Array.isArray(v) ? (v as Bag) : {});
export const str = (v: unknown): string => (typeof v === 'string' ? v : '');
export const num = (v: unknown): number => (typeof v === 'number' && Number.isFinite(v) ? v : 0);
export const list = (v: unknown): unknown[] => (Array.isArray(v) ? v : []);

export type Event = Required<Sent>;

// plain reads an event at the edge: after it every field is of its type.
export function plain(raw: unknown): Event {
  const b = bag(raw);
  return { seq: num(b.seq), at: num(b.at), kind: str(b.kind), run: str(b.run), call: str(b.call), tool: str(b.tool), text: str(b.text), data: b.data ?? null };
}

export function kindOf(k: string): Question['kind'] {
  return k === 'permission' || k === 'confirm' || k === 'plan' || k === 'continue' ? k : 'clarify';
}

export function verdictOf(v: string, error: boolean): Verdict {
  if (v === 'done' || v === 'not_done' || v === 'unknown') return v;
  return error ? 'error' : v ? 'unknown' : 'ok'; // a word that nobody knows says nothing
}

export function stepOf(v: unknown): Step {
  const b = bag(v), target = bag(b.target);
  return { tool: str(b.tool), args: b.args, role: str(target.role), name: str(target.name), verdict: verdictOf(str(b.verdict), !str(b.verdict)), effects: list(b.effects).map(str).filter(Boolean), reason: str(b.reason) };
}

export function proofs(v: unknown): Proof[] {
  return list(v).map(bag).map((p) => ({ passed: p.passed === true, expected: str(p.expected), actual: str(p.actual), evidence: str(p.evidence) }));
}
