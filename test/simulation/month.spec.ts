import { describe, expect, it } from '@jest/globals';
import { AGAIN, CONFIRM } from '../../src/checker/check-turns.ts';
import type { AreaPeriod } from '../../src/domain/area/settings.ts';
import { verdictView } from '../../src/projections/verdict/verdict.view.ts';
import { Plans, type PlannedCheck } from './plans.ts';
import { VirtualTime } from './virtual-time.ts';
import { type Instance, SHARDS_MS, World } from './world.ts';

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3600_000, 86_400_000];
const START = Date.UTC(2026, 0, 1);
const PERIODS: Readonly<Record<string, number>> = {
  '5 minutes': 5 * MINUTE,
  '30 minutes': 30 * MINUTE,
  '1 hour': HOUR,
  '8 hours': 8 * HOUR,
};
/** Until somebody else has the shards of a checker that is gone, and has made up what was missed. */
const TAKEN_MS = 10 * SECOND + SHARDS_MS + 30 * SECOND;
/** Trouble of our own is tried again after half a minute, seldom twice. */
const LATE_MS = 3 * MINUTE;
const LARGEST_STEP = 10 * MINUTE;

/** A small generator: the same seed makes the same month. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Month {
  readonly broken: string[] = [];
  readonly counts = { runs: 0, crashes: 0, pauses: 0, cuts: 0, steps: 0, changes: 0 };
  private readonly time = new VirtualTime(START);
  private readonly random;
  private readonly world;
  private readonly plans;
  private readonly troubles: { readonly from: number; readonly to: number }[] = [];
  private readonly steps: { readonly from: number; readonly to: number }[] = [];
  private readonly lastAccepted = new Map<string, number>();
  private readonly lastDue = new Map<string, number>();
  private readonly lastBegun = new Map<string, number>();
  private readonly epochs = new Map<string, number>();

  constructor(
    seed: number,
    private readonly days: number,
  ) {
    this.random = generator(seed);
    this.world = new World(this.time, this.random, {
      begun: (machine, key, due, lateMs) => {
        this.begun(machine.name, key, due, lateMs);
      },
      accepted: (run, shard, epoch) => {
        this.counts.runs++;
        if (epoch < (this.epochs.get(shard) ?? 0)) this.tell(`a run of ${shard} was accepted under an old lease`);
        this.epochs.set(shard, epoch);
        this.gap(run.checkId);
      },
      broken: (what) => {
        this.tell(what);
      },
    });
    this.plans = new Plans(this.world.store, () => this.time.now);
  }

  async pass(): Promise<void> {
    for (const [period, checks] of [
      ['5 minutes', 2],
      ['30 minutes', 3],
      ['30 minutes', 1],
      ['1 hour', 2],
      ['8 hours', 2],
    ] as const)
      await this.plans.project(period, checks);
    for (let count = 0; count < 3; count++) await this.world.start();
    for (const { checkId } of this.plans.checks) this.lastAccepted.set(checkId, this.time.now);
    const calm = START + this.days * DAY - 12 * HOUR;
    while (this.time.now < calm) {
      await this.time.run(Math.min(calm, this.time.now + this.random() * 4 * HOUR));
      if (this.time.now < calm) await this.somethingHappens();
    }
    await this.time.run(this.time.now + HOUR);
    this.world.sites.flakiness = 0;
    for (const { checkId } of this.plans.checks) this.world.sites.turn(checkId, false);
    await this.time.run(START + this.days * DAY);
    await this.everybodyIsWell();
    for (const { checkId } of this.plans.checks) this.gap(checkId);
    for (const instance of [...this.world.instances]) this.world.crash(instance);
  }

  private async somethingHappens(): Promise<void> {
    const instance = this.world.instances[Math.floor(this.random() * this.world.instances.length)];
    const what = this.random();
    this.somebodyAsksTwice();
    if (what < 0.35) await this.somebodyChangesThePlan();
    else if (what < 0.45) this.world.sites.turn(this.anyCheck().checkId, this.random() < 0.5);
    else if (instance === undefined) return;
    else if (what < 0.6) this.crash(instance);
    else if (what < 0.75) this.trouble('pauses', 1 + this.random() * 119, (milliseconds) => this.world.pause(instance, milliseconds));
    else if (what < 0.9) this.trouble('cuts', 1 + this.random() * 89, (milliseconds) => this.world.cut(instance, milliseconds));
    else this.step(instance);
  }

  /** Two reasons to look at a check in the same moment. */
  private somebodyAsksTwice(): void {
    const { projectId, checkId, enabled } = this.anyCheck();
    const owner = this.world.instances.find(({ checker }) => checker.leaseOf(projectId) !== undefined);
    if (enabled) for (const kind of [AGAIN, CONFIRM]) owner?.checker.once(kind, projectId, checkId, owner.machine.now());
  }

  private crash(instance: Instance): void {
    const downMs = SECOND + this.random() * 10 * MINUTE;
    this.counts.crashes++;
    const alone = this.world.instances.length === 1;
    this.troubles.push({ from: this.time.now, to: this.time.now + (alone ? downMs : 0) });
    this.world.crash(instance);
    this.startAgain(downMs);
  }

  private startAgain(inMs: number): void {
    this.time.after(inMs, () => {
      void this.world.start();
    });
  }

  private trouble(kind: 'pauses' | 'cuts', seconds: number, begin: (milliseconds: number) => void): void {
    this.counts[kind]++;
    this.troubles.push({ from: this.time.now, to: this.time.now + seconds * SECOND });
    begin(seconds * SECOND);
  }

  /** A clock that is wrong for some hours. */
  private step({ machine }: Instance): void {
    const lasts = HOUR + this.random() * 5 * HOUR;
    this.counts.steps++;
    this.steps.push({ from: this.time.now, to: this.time.now + lasts });
    machine.offset = (this.random() * 2 - 1) * LARGEST_STEP;
    this.time.after(lasts, () => (machine.offset = 0));
  }

  private async somebodyChangesThePlan(): Promise<void> {
    this.counts.changes++;
    const check = this.anyCheck();
    let changed: readonly PlannedCheck[] = [check];
    if (this.random() < 0.5) await this.plans.enable(check, !check.enabled || this.random() < 0.5);
    else
      changed = await this.plans.setPeriod(
        check,
        (['5 minutes', '30 minutes', '1 hour', '8 hours', 'false'] as AreaPeriod[])[Math.floor(this.random() ** 1.3 * 5)] ?? '1 hour',
      );
    for (const { checkId } of changed) this.lastAccepted.set(checkId, this.time.now);
  }

  private anyCheck(): PlannedCheck {
    const check = this.plans.checks[Math.floor(this.random() * this.plans.checks.length)];
    if (check === undefined) throw new Error('there are no checks');
    return check;
  }

  /** None is missed: no more time passes between two runs than the period, unless the world was in trouble meanwhile. */
  private gap(checkId: string): void {
    const check = this.plans.checks.find((one) => one.checkId === checkId);
    const [from, to] = [this.lastAccepted.get(checkId) ?? START, this.time.now];
    this.lastAccepted.set(checkId, to);
    const period = check?.enabled === true ? PERIODS[check.period] : undefined;
    if (period === undefined) return;
    const steps = during(this.steps, from, to, HOUR) > 0 ? 2 * LARGEST_STEP : 0;
    const allowed = period + LATE_MS + during(this.troubles, from, to, TAKEN_MS) + steps;
    if (to - from > allowed)
      this.tell(
        `${checkId} was not looked at for ${String(Math.round((to - from) / SECOND))} s, allowed are ${String(Math.round(allowed / SECOND))} s`,
      );
  }

  /** A turn begins once, and in time. */
  private begun(machine: string, key: string, due: number, lateMs: number): void {
    if (this.lastBegun.get(key) === this.time.now) this.tell(`${machine} began ${key} twice at once`);
    this.lastBegun.set(key, this.time.now);
    if (!key.startsWith('area ') || during(this.steps, this.time.now - HOUR, this.time.now + 1, HOUR) > 0) return;
    if (due <= (this.lastDue.get(key) ?? -Infinity))
      this.tell(`${machine} began the turn of ${key} at ${new Date(due).toISOString()} again`);
    this.lastDue.set(key, due);
    if (lateMs > SECOND && during(this.troubles, this.time.now - MINUTE, this.time.now + 1, TAKEN_MS) === 0)
      this.tell(`${machine} was ${String(lateMs)} ms late with ${key}`);
  }

  private async everybodyIsWell(): Promise<void> {
    const verdicts = await this.world.views.many(
      verdictView,
      this.plans.checks.map(({ checkId }) => checkId),
    );
    for (const { checkId, enabled, period } of this.plans.checks) {
      const verdict = verdicts.get(checkId);
      if (!enabled || PERIODS[period] === undefined) continue;
      if (verdict?.status !== 'ok' || verdict.suspectedSince !== null)
        this.tell(`${checkId} is well, its verdict says ${JSON.stringify(verdict)}`);
    }
  }

  private tell(what: string): void {
    if (this.broken.length < 20) this.broken.push(`${new Date(this.time.now).toISOString()} ${what}`);
  }
}

/** How much of the span the intervals fill, each with what follows from it. */
const during = (intervals: readonly { readonly from: number; readonly to: number }[], from: number, to: number, after: number): number =>
  intervals.reduce((sum, one) => sum + Math.max(0, Math.min(to, one.to + after) - Math.max(from, one.from)), 0);

describe('a month of checkers that crash, pause, lose the database and have wrong clocks', () => {
  const seed = Number(process.env['SIMULATION_SEED'] ?? 20260101);

  it(`looks at everything, once at a time, and ends with the right verdicts (SIMULATION_SEED=${String(seed)})`, async () => {
    const month = new Month(seed, Number(process.env['SIMULATION_DAYS'] ?? 30));
    await month.pass();
    expect({ seed, broken: month.broken }).toEqual({ seed, broken: [] });
    expect(month.counts.runs).toBeGreaterThan(10_000);
    expect(Math.min(...Object.values(month.counts))).toBeGreaterThan(5);
  });
});
