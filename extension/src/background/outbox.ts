// Holds what was told until the daemon says that it has heard it: a line that breaks loses nothing, and nothing
// is told twice.
import type { Told } from '../shared/wire';

const most = 5000; // beyond that the daemon has been away too long, and is told that something is missing

export class Outbox {
  private n = 0;
  private held: Told[] = [];

  constructor(private send: (t: Told) => void) {}

  tell(method: string, params: unknown): void {
    const t = { n: ++this.n, method, params };
    this.held.push(t);
    if (this.held.length > most) this.held.shift();
    this.send(t);
  }

  // heard forgets what has arrived.
  heard(n: number): void {
    while (this.held[0] && this.held[0].n <= n) this.held.shift();
  }

  // again sends what has not arrived.
  again(heard: number): void {
    this.heard(heard);
    for (const t of this.held) this.send(t);
  }
}
