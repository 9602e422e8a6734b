// Reading first: a new question goes to the top and stays there while its answer grows below; the view moves
// by itself only when the reader asked to follow, or went to the end.
import { signal } from '@preact/signals';

export interface Place { atEnd: boolean; pastQuestion: boolean; follow: boolean }

const slack = 24; // pixels that still count as "at the end"

export class Reader {
  readonly place = signal<Place>({ atEnd: true, pastQuestion: false, follow: false });
  private follow = false;
  private pinned = false; // the question is at the top until the reader moves, whatever changes above it
  private expected = -1; // where a scroll of our own ends
  private watch: ResizeObserver;

  constructor(private box: HTMLElement, content: HTMLElement) {
    box.addEventListener('scroll', this.scrolled, { passive: true });
    this.watch = new ResizeObserver(() => this.grown());
    this.watch.observe(content);
    this.watch.observe(box);
  }

  close(): void {
    this.box.removeEventListener('scroll', this.scrolled);
    this.watch.disconnect();
  }

  // toQuestion puts the newest question at the top and stops following.
  toQuestion(): void {
    this.follow = false;
    this.pinned = true;
    const q = this.question();
    if (q) this.go(this.box.scrollTop + q.getBoundingClientRect().top - this.box.getBoundingClientRect().top);
    this.look();
  }

  toEnd(follow: boolean): void {
    this.follow = follow;
    this.pinned = false;
    this.go(this.last());
    this.look();
  }

  private question(): Element | undefined {
    return Array.from(this.box.querySelectorAll('.turn')).pop();
  }

  private last(): number { return this.box.scrollHeight - this.box.clientHeight; }

  private go(top: number): void {
    this.expected = Math.max(0, Math.min(Math.round(top), this.last()));
    this.box.scrollTop = this.expected;
  }

  private grown(): void {
    if (this.follow) this.go(this.last());
    else if (this.pinned) return this.toQuestion();
    this.look();
  }

  private scrolled = (): void => {
    const own = Math.abs(this.box.scrollTop - this.expected) < 2;
    if (!own) { // the reader's own doing
      this.expected = -1;
      this.pinned = false;
      this.follow = this.ended() && this.long();
    }
    this.look();
  };

  private ended(): boolean { return this.box.scrollTop >= this.last() - slack; }

  // long says that the newest turn is taller than the view; a short one is all in view already.
  private long(): boolean { return (this.question()?.getBoundingClientRect().height ?? 0) > this.box.clientHeight + slack; }

  private look(): void {
    const top = this.question()?.getBoundingClientRect().top ?? 0;
    const now = { atEnd: this.ended(), pastQuestion: top < this.box.getBoundingClientRect().top - slack, follow: this.follow };
    const was = this.place.peek();
    if (was.atEnd !== now.atEnd || was.pastQuestion !== now.pastQuestion || was.follow !== now.follow) this.place.value = now;
  }
}
