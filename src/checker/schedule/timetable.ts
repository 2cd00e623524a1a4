import { nextOccurrence, type Recurrence } from '../../kernel/recurrence.ts';

export interface Recurring extends Recurrence {
  readonly key: string;
}

interface Entry {
  readonly key: string;
  readonly due: number;
  readonly recurring: Recurring | null;
}

export interface Due {
  readonly key: string;
  /** When it should have been. */
  readonly due: number;
}

/**
 * What is due when. A turn that was missed is made up once, not as often as it was missed; the next one is where it always would have been.
 * A heap, so that ten thousand keys cost nothing while nothing is due.
 */
export class Timetable {
  private heap: Entry[] = [];
  private readonly current = new Map<string, Entry>();

  get size(): number {
    return this.current.size;
  }

  /** When the key is due next, null when it is not planned. */
  dueOf(key: string): number | null {
    return this.current.get(key)?.due ?? null;
  }

  /** The first turn is the next one of its phase. Planned the same way again, its turn stays. */
  plan(recurring: Recurring, now: number): void {
    const known = this.current.get(recurring.key)?.recurring;
    if (known?.periodMs === recurring.periodMs && known.phaseMs === recurring.phaseMs) return;
    this.put({ key: recurring.key, due: nextOccurrence(recurring, now), recurring });
  }

  /** Once, at a moment; of two the earlier counts. */
  once(key: string, due: number): void {
    const known = this.current.get(key);
    if (known === undefined || known.due > due) this.put({ key, due, recurring: known?.recurring ?? null });
  }

  drop(key: string): void {
    this.current.delete(key);
  }

  /** When to look again, null when nothing is planned. */
  next(): number | null {
    this.forgetStale();
    return this.heap[0]?.due ?? null;
  }

  /** What is due by now, each planned again after now. */
  take(now: number): readonly Due[] {
    const taken: Due[] = [];
    for (;;) {
      this.forgetStale();
      const first = this.heap[0];
      if (first === undefined || first.due > now) return taken;
      this.pop();
      this.current.delete(first.key);
      taken.push({ key: first.key, due: first.due });
      if (first.recurring !== null) this.put({ key: first.key, due: nextOccurrence(first.recurring, now), recurring: first.recurring });
    }
  }

  /**
   * The wall clock stepped by so much: every turn is where the new time says. One that the step passed over is made up, once; what was to be
   * after a while still is after that while.
   */
  jumped(now: number, step: number): void {
    const entries = [...this.current.values()];
    this.heap = [];
    this.current.clear();
    for (const { key, due, recurring } of entries)
      this.put({ key, due: recurring === null ? due + step : Math.min(due, nextOccurrence(recurring, now)), recurring });
  }

  private put(entry: Entry): void {
    this.current.set(entry.key, entry);
    this.heap.push(entry);
    this.up(this.heap.length - 1);
  }

  /** Entries that were replaced or dropped stay in the heap until they come up. */
  private forgetStale(): void {
    for (let first = this.heap[0]; first !== undefined && this.current.get(first.key) !== first; first = this.heap[0]) this.pop();
  }

  private pop(): void {
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) return;
    this.heap[0] = last;
    this.down(0);
  }

  private up(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.dueAt(parent) <= this.dueAt(at)) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  private down(from: number): void {
    let at = from;
    for (;;) {
      const left = 2 * at + 1;
      const least = [left, left + 1].reduce((best, child) => (this.dueAt(child) < this.dueAt(best) ? child : best), at);
      if (least === at) return;
      this.swap(at, least);
      at = least;
    }
  }

  private dueAt(index: number): number {
    return this.heap[index]?.due ?? Infinity;
  }

  private swap(a: number, b: number): void {
    const [one, other] = [this.heap[a], this.heap[b]];
    if (one === undefined || other === undefined) return;
    this.heap[a] = other;
    this.heap[b] = one;
  }
}
