import { during, type Interval, touches } from './invariants/interval.ts';
import { HOUR, LARGEST_STEP, TAKEN_MS } from './time-limits.ts';

/** Periods with injected faults, for which invariants make allowance. */
export class FaultPeriods {
  /** Machines paused or cut off, and periods without any machine. */
  readonly absences: Interval[] = [];
  /** From the crash of a machine until it is back and has its shards again. */
  readonly moves: Interval[] = [];
  /** A machine's processor was too slow. */
  readonly slowdowns: Interval[] = [];
  /** The receiver refused all messages. */
  readonly silences: Interval[] = [];
  /** Groups whose runs fail with an internal error. */
  readonly poisonings: (Interval & { readonly areaId: string })[] = [];
  /** Wrong wall clocks. */
  readonly steps: Interval[] = [];
  /** Maintenance windows, in which alerts are suppressed. */
  readonly maintenance: (Interval & { readonly projectId: string })[] = [];

  /** The possible error of observed times. */
  blur(from: number, to: number): number {
    return touches(this.steps, from, to, HOUR) ? 2 * LARGEST_STEP : 0;
  }

  /** How long within a period a shard may have had no owner, during its handover and return. */
  inTransit(from: number, to: number): number {
    const ways = this.moves.flatMap((move) => [
      { from: move.from, to: move.from + TAKEN_MS },
      { from: move.to - TAKEN_MS, to: move.to },
    ]);
    return during(ways, from, to);
  }

  /** The earliest time at which an alert for this instant may be sent. */
  heardFrom(projectId: string, at: number): number {
    const own = this.maintenance.filter((one) => one.projectId === projectId);
    for (let from = at; ;) {
      const window = own.find((one) => one.from <= from && one.to > from);
      if (window === undefined) return from;
      from = window.to;
    }
  }
}
