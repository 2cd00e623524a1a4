import type pg from 'pg';
import { AGAIN, CONFIRM } from '../../src/checker/check-turns.ts';
import type { AreaPeriod } from '../../src/domain/area/settings.ts';
import { REACH } from '../../src/domain/uptime/timeline.ts';
import { verdictView } from '../../src/projections/verdict/verdict.view.ts';
import type { Interval } from './invariants/interval.ts';
import { jobsKept } from './invariants/jobs.ts';
import { Looks } from './invariants/looks.ts';
import { changesTold } from './invariants/messages.ts';
import { uptimeAddsUp, uptimeTakesTurns } from './invariants/uptime.ts';
import { DAY, HOUR, LARGEST_STEP, MINUTE, PERIODS, SECOND } from './limits.ts';
import { Plans, type PlannedCheck } from './plans.ts';
import { generator } from './random.ts';
import { Starter } from './starter.ts';
import { Troubles } from './troubles.ts';
import { VirtualTime } from './virtual-time.ts';
import { type Instance, World } from './world.ts';

const START = Date.UTC(2026, 0, 1);
const MACHINES = 3;
const MOST_TOLD = 20;

export interface SimulationOptions {
  readonly seed: number;
  readonly days: number;
  /** Migrated, and nobody else's. */
  readonly pool: pg.Pool;
  readonly onDay?: (day: number) => void;
}

/** The service on virtual time: machines that look, decide and tell, and everything that can happen to them. */
export class Simulation {
  readonly broken: string[] = [];
  readonly counts = { runs: 0, crashes: 0, pauses: 0, cuts: 0, steps: 0, changes: 0, jobs: 0, outages: 0, told: 0, repeats: 0 };
  private readonly time = new VirtualTime(START);
  private readonly random;
  private readonly world;
  private readonly plans;
  private readonly starter;
  private readonly looks;
  private readonly troubles = new Troubles();
  private readonly watched = new Map<string, Interval[]>();

  constructor(private readonly options: SimulationOptions) {
    this.random = generator(options.seed);
    this.world = new World(this.time, this.random, options.pool, {
      begun: (machine, key, due, lateMs) => {
        this.looks.begun(machine.name, key, due, lateMs);
      },
      accepted: (run, shard, epoch) => {
        this.counts.runs++;
        this.looks.accepted(run, shard, epoch);
      },
      died: (instance) => {
        this.crash(instance);
      },
      broken: this.tell,
    });
    this.plans = new Plans(this.world.store, () => this.time.now);
    this.looks = new Looks(this.plans.checks, this.troubles, () => this.time.now, this.tell);
    this.starter = new Starter(this.world);
  }

  async pass(): Promise<void> {
    await this.begin();
    const calm = START + this.options.days * DAY - 12 * HOUR;
    for (let day = 0; this.time.now < calm;) {
      await this.time.run(Math.min(calm, this.time.now + this.random() * 4 * HOUR));
      if (this.time.now < calm) await this.somethingHappens();
      if (this.time.now >= START + (day + 1) * DAY) this.options.onDay?.(++day);
    }
    await this.time.run(this.time.now + HOUR);
    this.world.sites.flakiness = 0;
    for (const { checkId } of this.plans.checks) this.world.sites.turn(checkId, false);
    for (const [projectId] of this.watched) this.turnSite(projectId, false);
    await this.time.run(START + this.options.days * DAY);
    await this.judge();
    for (const instance of [...this.world.instances]) this.world.crash(instance);
  }

  private async begin(): Promise<void> {
    await this.plans.owner(this.world.keyring);
    for (const [period, checks] of [
      ['5 minutes', 1],
      ['30 minutes', 3],
      ['30 minutes', 1],
      ['1 hour', 2],
      ['8 hours', 2],
    ] as const)
      await this.plans.project(period, checks);
    this.watched.set(await this.plans.project('false', 0, '60'), []);
    for (let count = 0; count < MACHINES; count++) await this.world.start();
    this.looks.reset(this.plans.checks);
  }

  private async somethingHappens(): Promise<void> {
    const { instances, sites } = this.world;
    const instance = instances[Math.floor(this.random() * instances.length)];
    const what = this.random();
    this.somebodyAsksTwice();
    if (this.random() < 0.3) this.somebodyStarts();
    if (this.random() < 0.1) this.silence(this.random() * 20 * MINUTE);
    if (what < 0.22) await this.somebodyChangesThePlan();
    else if (what < 0.42) sites.turn(this.anyCheck().checkId, this.random() < 0.5);
    else if (what < 0.5) for (const [projectId] of this.watched) this.turnSite(projectId, this.random() < 0.5);
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

  /** Now and then of a group that nobody can get on with. */
  private somebodyStarts(): void {
    this.counts.jobs++;
    const check = this.anyCheck();
    const group = this.plans.checks.filter(({ areaId, enabled }) => areaId === check.areaId && enabled).map(({ checkId }) => checkId);
    if (this.random() < 0.15) {
      this.troubles.poisonings.push({ areaId: check.areaId, from: this.time.now, to: this.time.now + 2 * HOUR });
      for (const checkId of group) this.world.sites.poison(checkId, true);
      this.time.after(2 * HOUR, () => {
        for (const checkId of group) this.world.sites.poison(checkId, false);
      });
    }
    this.starter.start(check, group);
  }

  private turnSite(projectId: string, isDown: boolean): void {
    const times = this.watched.get(projectId) ?? [];
    const open = times.at(-1)?.to === Infinity;
    if (isDown && !open) {
      this.counts.outages++;
      times.push({ from: this.time.now, to: Infinity });
    }
    if (!isDown && open) times.push({ from: times.pop()?.from ?? 0, to: this.time.now });
    this.world.sites.turn(projectId, isDown);
  }

  private crash(instance: Instance): void {
    const downMs = SECOND + this.random() * 10 * MINUTE;
    this.counts.crashes++;
    const alone = this.world.instances.length === 1;
    this.troubles.absences.push({ from: this.time.now, to: this.time.now + (alone ? downMs : 0) });
    this.world.crash(instance);
    this.time.after(downMs, () => {
      void this.world.start();
    });
  }

  private trouble(kind: 'pauses' | 'cuts', seconds: number, begin: (milliseconds: number) => void): void {
    this.counts[kind]++;
    this.troubles.absences.push({ from: this.time.now, to: this.time.now + seconds * SECOND });
    begin(seconds * SECOND);
  }

  private silence(milliseconds: number): void {
    this.troubles.silences.push({ from: this.time.now, to: this.time.now + milliseconds });
    this.world.inbox.close(milliseconds);
  }

  /** A clock that is wrong for some hours. */
  private step({ machine }: Instance): void {
    const lasts = HOUR + this.random() * 5 * HOUR;
    this.counts.steps++;
    this.troubles.steps.push({ from: this.time.now, to: this.time.now + lasts });
    machine.offset = (this.random() * 2 - 1) * LARGEST_STEP;
    this.time.after(lasts, () => (machine.offset = 0));
  }

  private async somebodyChangesThePlan(): Promise<void> {
    this.counts.changes++;
    const check = this.anyCheck();
    let changed: readonly PlannedCheck[] = [check];
    if (this.random() < 0.5) await this.plans.enable(check, !check.enabled || this.random() < 0.5);
    else changed = await this.plans.setPeriod(check, anyPeriod(this.random()));
    this.looks.reset(changed);
  }

  private anyCheck(): PlannedCheck {
    const check = this.plans.checks[Math.floor(this.random() * this.plans.checks.length)];
    if (check === undefined) throw new Error('there are no checks');
    return check;
  }

  private async judge(): Promise<void> {
    const { store, inbox, samples } = this.world;
    const end = this.time.now;
    await this.everybodyIsWell();
    for (const { checkId } of this.plans.checks) this.looks.gap(checkId);
    jobsKept(store.events, this.troubles, end, this.tell);
    this.counts.told = changesTold(store.events, inbox, this.troubles, end, this.tell);
    this.counts.repeats = inbox.repeats;
    uptimeTakesTurns(store.events, this.tell);
    for (const [projectId, down] of this.watched) {
      const span = { from: START, to: end };
      const watched = { projectId, down, samples: await samples.outcomes(projectId, span.from - REACH, span.to + REACH) };
      uptimeAddsUp(watched, span, this.troubles, this.tell);
    }
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

  private readonly tell = (what: string): void => {
    if (this.broken.length < MOST_TOLD) this.broken.push(`${new Date(this.time.now).toISOString()} ${what}`);
  };
}

const anyPeriod = (random: number): AreaPeriod =>
  (['5 minutes', '30 minutes', '1 hour', '8 hours', 'false'] as AreaPeriod[])[Math.floor(random ** 1.3 * 5)] ?? '1 hour';
