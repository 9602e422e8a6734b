// Runs commands in the order they come, each number once. A changing command's number is stored before it runs;
// answers are kept until they are surely no longer asked for, so a repeated number is answered, not run.
import type * as wire from '../shared/wire';
import type { Command } from './commands';
import type { Memory } from './kept';
import { Problem } from './problem';

const kept = 512; // answers

export class Queue {
  private turn: Promise<unknown> = Promise.resolve();
  private answers = new Map<number, Promise<unknown>>();

  constructor(private memory: Memory, private commands: Record<string, Command>) {}

  forget(): void { this.answers.clear(); }

  run(id: number, method: string, params: unknown): Promise<unknown> {
    const known = this.answers.get(id);
    if (known) return known;
    const p = (params ?? {}) as wire.Command;
    // begun resolves with the command's own promise, wrapped: the next command waits until this one has begun,
    // not until it has ended.
    const begun = this.turn.then(async () => {
      const f = this.commands[method];
      if (!f) throw new Problem('refused', method + ' is not a command');
      // Not awaited: both calls go to the browser on one channel, which keeps their order, so a command that has
      // arrived there comes after its number.
      if (p.changing) void this.memory.save({ last: id });
      return { result: f(p.args ?? {}) };
    });
    this.turn = begun.catch(() => undefined);
    const answer = begun.then((b) => b.result);
    answer.catch(() => undefined); // told to whoever asked
    this.answers.set(id, answer);
    if (this.answers.size > kept) this.answers.delete(this.answers.keys().next().value as number);
    return answer;
  }
}
