import { nextOccurrence } from '../../kernel/recurrence.ts';
import { type RecurringTurn, type Turn, turnId, type TurnKey } from './turn.ts';

interface Entry {
  readonly id: string;
  readonly turn: TurnKey;
  readonly due: number;
  readonly recurring: RecurringTurn | null;
}

/**
 * A priority queue (binary heap) of turns. A missed turn is made up once, however often it was missed, and the following ones keep their phase.
 */
export class Timetable {
  private heap: Entry[] = [];
  private readonly current = new Map<string, Entry>();

  get size(): number {
    return this.current.size;
  }

  dueOf(turn: TurnKey): number | null {
    return this.current.get(turnId(turn))?.due ?? null;
  }

  /** Replaces the recurrence of a turn; an unchanged recurrence keeps the planned time. */
  plan(recurring: RecurringTurn, now: number): void {
    const id = turnId(recurring.turn);
    const known = this.current.get(id)?.recurring;
    if (known?.periodMs === recurring.periodMs && known.phaseMs === recurring.phaseMs) return;
    this.put({ id, turn: recurring.turn, due: nextOccurrence(recurring, now), recurring });
  }

  /** An extra turn; if one is already planned, the earlier time counts. */
  scheduleOnce(turn: TurnKey, due: number): void {
    const id = turnId(turn);
    const known = this.current.get(id);
    if (known === undefined || known.due > due) this.put({ id, turn, due, recurring: known?.recurring ?? null });
  }

  drop(turn: TurnKey): void {
    this.current.delete(turnId(turn));
  }

  nextDue(): number | null {
    this.discardStale();
    return this.heap[0]?.due ?? null;
  }

  /** Removes and returns the turns due by now, and plans the next occurrence of each recurring one. */
  takeDue(now: number): readonly Turn[] {
    const taken: Turn[] = [];
    for (;;) {
      this.discardStale();
      const first = this.heap[0];
      if (first === undefined || first.due > now) return taken;
      this.pop();
      this.current.delete(first.id);
      taken.push({ ...first.turn, due: first.due });
      if (first.recurring !== null) this.put({ ...first, due: nextOccurrence(first.recurring, now) });
    }
  }

  /** Replans after the wall clock stepped: recurring turns keep their phase, and those stepped over are made up once; extra turns keep their delay. */
  clockStepped(now: number, stepMs: number): void {
    const entries = [...this.current.values()];
    this.heap = [];
    this.current.clear();
    for (const entry of entries) {
      const { due, recurring } = entry;
      this.put({ ...entry, due: recurring === null ? due + stepMs : Math.min(due, nextOccurrence(recurring, now)) });
    }
  }

  private put(entry: Entry): void {
    this.current.set(entry.id, entry);
    this.heap.push(entry);
    this.siftUp(this.heap.length - 1);
  }

  /** Replaced and dropped entries stay in the heap until they reach its top (lazy deletion). */
  private discardStale(): void {
    for (let first = this.heap[0]; first !== undefined && this.current.get(first.id) !== first; first = this.heap[0]) this.pop();
  }

  private pop(): void {
    const last = this.heap.pop();
    if (last === undefined || this.heap.length === 0) return;
    this.heap[0] = last;
    this.siftDown(0);
  }

  private siftUp(from: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.dueAt(parent) <= this.dueAt(at)) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  private siftDown(from: number): void {
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
