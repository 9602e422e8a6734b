// The picture of a session: what there is to draw, and nothing of how it came about (reduce.ts) or looks.
import type { Question, Answer } from '../shared/wire';

export type Verdict = 'running' | 'done' | 'not_done' | 'unknown' | 'error' | 'ok';

// Step is one action that a careful run took, as its trail tells it.
export interface Step { tool: string; args: unknown; role: string; name: string; verdict: Verdict; effects: string[]; reason: string }
export interface Proof { passed: boolean; expected: string; actual: string; evidence?: string }

export interface TextItem { kind: 'text'; key: number; text: string; thought: string; open: boolean }
export interface ToolItem {
  kind: 'tool'; key: number; tool: string; call: string; run: string; args: unknown; result: string; data: unknown;
  verdict: Verdict; reason: string; steps: Step[]; proof: Proof[]; progress: number;
}
export interface NoteItem { kind: 'note' | 'warning' | 'compacted'; key: number; text: string }
export interface AskItem { kind: 'ask'; key: number; question: Question; answer: Answer | null; closed: boolean }
export interface StepItem { kind: 'step'; key: number; run: string; call: string; step: number; of: number }
export type Item = TextItem | ToolItem | NoteItem | AskItem | StepItem;

export interface Ending { status: string; summary: string; reason: string; input: number; output: number; cached: number; cost: number; ms: number; proof: Proof[] }
export interface File { name: string; mime: string }
export interface Turn { key: number; at: number; question: string; files: File[]; run: string; provider: string; items: Item[]; end: Ending | null }
export interface Queued { id: string; text: string }
export interface View { seq: number; turns: Turn[]; queue: Queued[]; warnings: NoteItem[]; busy: boolean }

export const empty: View = { seq: 0, turns: [], queue: [], warnings: [], busy: false };
