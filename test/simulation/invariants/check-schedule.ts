import type { MadeRun } from '../../../src/platform/observations/runs/run-store.ts';
import { during } from './interval.ts';
import { HOUR, LARGEST_STEP, LATE_MS, MINUTE, PERIODS, SECOND, TAKEN_MS } from '../time-limits.ts';
import type { PlannedCheck } from '../simulated-projects.ts';
import type { FaultPeriods } from '../fault-periods.ts';

/** On a slow processor, where five turns a second start at least. */
const SLOW_LATE_MS = 15 * SECOND;

/** Every check runs when it is due: none is missed, duplicated or late, and none runs under a lost lease. */
export class CheckSchedule {
  private readonly lastAccepted = new Map<string, number>();
  private readonly lastDue = new Map<string, number>();
  private readonly lastBegun = new Map<string, number>();
  private readonly epochs = new Map<string, number>();

  constructor(
    private readonly checks: readonly PlannedCheck[],
    private readonly faultPeriods: FaultPeriods,
    private readonly now: () => number,
    private readonly broken: (what: string) => void,
  ) {}

  /** From here on its gaps are counted, such as after its period was changed. */
  reset(checks: readonly PlannedCheck[]): void {
    for (const { checkId } of checks) this.lastAccepted.set(checkId, this.now());
  }

  accepted(run: MadeRun, shard: string, epoch: number): void {
    if (epoch < (this.epochs.get(shard) ?? 0)) this.broken(`a run of ${shard} was accepted with an old fencing token`);
    this.epochs.set(shard, epoch);
    this.gap(run.checkId);
  }

  /** A turn begins once, and in time. */
  begun(machine: string, key: string, due: number, lateMs: number): void {
    const now = this.now();
    if (this.lastBegun.get(key) === now) this.broken(`${machine} started ${key} twice at the same time`);
    this.lastBegun.set(key, now);
    if (!/^(area|uptime) /.test(key) || during(this.faultPeriods.steps, now - HOUR, now + 1, HOUR) > 0) return;
    if (due <= (this.lastDue.get(key) ?? -Infinity))
      this.broken(`${machine} repeated the occurrence of ${key} at ${new Date(due).toISOString()}`);
    this.lastDue.set(key, due);
    const allowed = during(this.faultPeriods.slowdowns, now - MINUTE, now + 1, MINUTE) > 0 ? SLOW_LATE_MS : SECOND;
    if (lateMs > allowed && during(this.faultPeriods.absences, now - MINUTE, now + 1, TAKEN_MS) === 0)
      this.broken(`${machine} was ${String(lateMs)} ms late with ${key}`);
  }

  /** Consecutive runs are at most one period apart, except for injected faults. */
  gap(checkId: string): void {
    const check = this.checks.find((one) => one.checkId === checkId);
    const [from, to] = [this.lastAccepted.get(checkId) ?? this.now(), this.now()];
    this.lastAccepted.set(checkId, to);
    const period = check?.enabled === true ? PERIODS[check.period] : undefined;
    if (period === undefined) return;
    const steps = during(this.faultPeriods.steps, from, to, HOUR) > 0 ? 2 * LARGEST_STEP : 0;
    const allowed = period + LATE_MS + during(this.faultPeriods.absences, from, to, TAKEN_MS) + steps;
    if (to - from <= allowed) return;
    const [was, may] = [to - from, allowed].map((milliseconds) => String(Math.round(milliseconds / SECOND)));
    this.broken(`${checkId} did not run for ${was ?? ''} s; at most ${may ?? ''} s are allowed`);
  }
}
