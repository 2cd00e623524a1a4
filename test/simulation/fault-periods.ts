import { during, type Interval, touches } from './invariants/interval.ts';
import { HOUR, LARGEST_STEP, TAKEN_MS } from './time-limits.ts';

/** When the world was not well: what an invariant has to make allowance for. */
export class FaultPeriods {
  /** Machines that stood still or were cut off, and times in which there was none at all. */
  readonly absences: Interval[] = [];
  /** From the end of a machine until it is back and has its part of the work. */
  readonly moves: Interval[] = [];
  /** When nobody could be told anything. */
  readonly silences: Interval[] = [];
  /** Groups that nobody could get on with. */
  readonly poisonings: (Interval & { readonly areaId: string })[] = [];
  /** Clocks that were wrong. */
  readonly steps: Interval[] = [];
  /** When nobody wanted to hear of a project. */
  readonly maintenance: (Interval & { readonly projectId: string })[] = [];

  /** By how much what was seen may lie elsewhere. */
  blur(from: number, to: number): number {
    return touches(this.steps, from, to, HOUR) ? 2 * LARGEST_STEP : 0;
  }

  /** For how much of a span a shard may have been nobody's: it leaves a machine that ends, and comes back to it. */
  inTransit(from: number, to: number): number {
    const ways = this.moves.flatMap((move) => [
      { from: move.from, to: move.from + TAKEN_MS },
      { from: move.to - TAKEN_MS, to: move.to },
    ]);
    return during(ways, from, to);
  }

  /** From when on somebody may hear of what happens at that moment. */
  heardFrom(projectId: string, at: number): number {
    const own = this.maintenance.filter((one) => one.projectId === projectId);
    for (let from = at; ;) {
      const window = own.find((one) => one.from <= from && one.to > from);
      if (window === undefined) return from;
      from = window.to;
    }
  }
}
