import { LOCATIONS } from './virtual-time.ts';
import type { AreaPeriod } from '../../src/projects/areas/area.settings.ts';
import type { CheckSchedule } from './invariants/check-schedule.ts';
import { HOUR, LARGEST_STEP, MINUTE, SECOND, SHARDS_MS, TAKEN_MS } from './time-limits.ts';
import type { SimulatedAccounts } from './simulated-accounts.ts';
import type { PlannedCheck, PlannedProject, SimulatedProjects } from './simulated-projects.ts';
import type { SiteFault } from './site-truth.ts';
import { isRight } from './sim-checker.ts';
import { JobStarter } from './job-starter.ts';
import type { FaultPeriods } from './fault-periods.ts';
import type { SimInstance, SimWorld } from './sim-world.ts';

export interface ScenarioParts {
  readonly world: SimWorld;
  readonly plans: SimulatedProjects;
  readonly people: SimulatedAccounts;
  readonly looks: CheckSchedule;
  readonly faultPeriods: FaultPeriods;
}

const MOST_CHECKS = 14;

/** Random changes of users, sites and machines: the scenario of a run. */
export class Scenario {
  readonly counts = {
    crashes: 0,
    pauses: 0,
    cuts: 0,
    slowdowns: 0,
    backlogs: 0,
    storeAbsences: 0,
    steps: 0,
    blackouts: 0,
    silences: 0,
    changes: 0,
    additions: 0,
    windows: 0,
    jobs: 0,
    outages: 0,
  };
  private readonly starter: JobStarter;
  private darkUntil = 0;
  private isCalm = false;

  constructor(private readonly parts: ScenarioParts) {
    this.starter = new JobStarter(parts.world);
  }

  async something(): Promise<void> {
    const { instances, random } = this.parts.world;
    const instance = instances[Math.floor(random() * instances.length)];
    this.somebodyAsksTwice();
    if (random() < 0.5) this.greedyStarts();
    if (random() < 0.3) this.somebodyStarts();
    if (random() < 0.1) this.silence(random() * 20 * MINUTE);
    if (random() < 0.04) this.redirectsChange();
    if (random() < 0.04) await this.somebodyMaintains();
    if (random() < 0.02) this.blackout();
    if (random() < 0.05) this.trouble('storeAbsences', 1 + random() * 299, (milliseconds) => this.parts.world.fences.leave(milliseconds));
    const what = random();
    if (what < 0.18) await this.somebodyChangesThePlan();
    else if (what < 0.22) await this.somebodyAddsACheck();
    else if (what < 0.42) this.turnPage(this.anyCheck());
    else if (what < 0.5) this.turnSites();
    else if (instance === undefined) return;
    else if (what < 0.6) this.crash(instance);
    else if (what < 0.75) this.trouble('pauses', 1 + random() * 119, (milliseconds) => this.parts.world.pause(instance, milliseconds));
    else if (what < 0.79) this.slowDown(instance);
    else if (what < 0.82)
      this.trouble('backlogs', 1 + random() * 89, (milliseconds) => this.parts.world.fallBehind(instance, milliseconds));
    else if (what < 0.9) this.trouble('cuts', 1 + random() * 89, (milliseconds) => this.parts.world.cut(instance, milliseconds));
    else this.step(instance);
  }

  /** Ends all faults of sites. */
  healAll(): void {
    const { plans, world } = this.parts;
    this.isCalm = true;
    world.sites.flakiness = 0;
    for (const { checkId } of plans.checks) this.turn(checkId, null);
    for (const { projectId } of plans.projects) this.turn(projectId, null);
  }

  crash(instance: SimInstance): void {
    const { world, faultPeriods } = this.parts;
    const { time, random } = world;
    const backAt = Math.max(time.now + SECOND + random() * 10 * MINUTE, this.darkUntil);
    this.counts.crashes++;
    faultPeriods.moves.push({ from: time.now, to: backAt + TAKEN_MS });
    world.crash(instance);
    this.countTheRight();
    time.after(backAt - time.now, () => {
      void world.start().then(() => {
        this.countTheRight();
      });
    });
  }

  /** Schedules the same check twice at the same time. */
  private somebodyAsksTwice(): void {
    const { projectId, checkId, enabled } = this.anyCheck();
    const owner = this.parts.world.instances.find(({ checker }) => checker.leaseOf(projectId) !== undefined);
    if (enabled)
      for (const kind of ['again', 'confirm'] as const)
        owner?.checker.scheduleOnce({ kind, projectId, subjectId: checkId }, owner.machine.now());
  }

  /** A job on all slow hosts of the greedy account, again and again. */
  private greedyStarts(): void {
    const { greedy } = this.parts.plans;
    if (greedy === null) return;
    this.starter.start(
      greedy,
      greedy.checks.map(({ checkId }) => checkId),
    );
  }

  /** Starts a job, now and then of a group whose runs always fail with an internal error. */
  private somebodyStarts(): void {
    const { world, plans, faultPeriods } = this.parts;
    const { time, random, sites } = world;
    this.counts.jobs++;
    const check = this.anyCheck();
    const group = plans.checks.filter(({ areaId, enabled }) => areaId === check.areaId && enabled).map(({ checkId }) => checkId);
    if (random() < 0.15) {
      faultPeriods.poisonings.push({ areaId: check.areaId, from: time.now, to: time.now + 2 * HOUR });
      for (const checkId of group) sites.poison(checkId, true);
      time.after(2 * HOUR, () => {
        for (const checkId of group) sites.poison(checkId, false);
      });
    }
    this.starter.start(check, group);
  }

  /** Without a machine whose clock is right, no checks of a location run. */
  private countTheRight(): void {
    const { world, faultPeriods } = this.parts;
    const isAnybody = LOCATIONS.every((location) =>
      world.instances.some(({ machine }) => isRight(machine) && machine.locations.includes(location)),
    );
    const open = faultPeriods.absences.find(({ to }) => to === Infinity);
    if (isAnybody && open !== undefined)
      faultPeriods.absences.splice(faultPeriods.absences.indexOf(open), 1, { from: open.from, to: world.time.now });
    if (!isAnybody && open === undefined) faultPeriods.absences.push({ from: world.time.now, to: Infinity });
  }

  private turnPage({ checkId }: PlannedCheck): void {
    this.turn(checkId, this.parts.world.random() < 0.5 ? this.anyAilment() : null);
  }

  private turnSites(): void {
    const { plans, world } = this.parts;
    for (const { projectId, isProbed } of plans.projects) {
      if (!isProbed) continue;
      const isFickle = world.random() < 0.2;
      this.turn(projectId, isFickle ? 'fickle' : world.random() < 0.5 ? this.anyAilment() : null);
      if (isFickle)
        world.time.after(world.random() * 2 * HOUR, () => {
          this.turn(projectId, null);
        });
    }
  }

  private turn(id: string, ailment: SiteFault | null): void {
    const { sites } = this.parts.world;
    if (sites.steady.has(id) || (this.isCalm && ailment !== null)) return;
    if (ailment !== null && sites.truth.ailment(id) === null) this.counts.outages++;
    sites.turn(id, ailment);
  }

  private redirectsChange(): void {
    const { world } = this.parts;
    for (const course of world.sites.truth.redirects.values()) {
      const what = world.random();
      course.turn(world.time.now, what < 0.5 ? 'ok' : what < 0.8 ? 'failed' : 'unreachable');
    }
  }

  /** Stops all machines for a while; jobs can still be started. */
  private blackout(): void {
    const { world, faultPeriods } = this.parts;
    const { time, random } = world;
    this.counts.blackouts++;
    this.darkUntil = time.now + (1.5 + random() * 1.5) * HOUR;
    faultPeriods.absences.push({ from: time.now, to: this.darkUntil + TAKEN_MS });
    for (const instance of [...world.instances]) this.crash(instance);
    time.after(random() * 10 * MINUTE, () => {
      this.somebodyStarts();
    });
  }

  private trouble(kind: 'pauses' | 'cuts' | 'backlogs' | 'storeAbsences', seconds: number, begin: (milliseconds: number) => void): void {
    const { faultPeriods, world } = this.parts;
    const span = { from: world.time.now, to: world.time.now + seconds * SECOND };
    this.counts[kind]++;
    faultPeriods.absences.push(span);
    faultPeriods.moves.push({ ...span, to: span.to + TAKEN_MS });
    begin(seconds * SECOND);
  }

  /** A processor that is too slow for half an hour at most: everything is late by moments, nothing is left out. */
  private slowDown(instance: SimInstance): void {
    const { faultPeriods, world } = this.parts;
    const milliseconds = world.random() * 30 * MINUTE;
    this.counts.slowdowns++;
    faultPeriods.slowdowns.push({ from: world.time.now, to: world.time.now + milliseconds });
    world.slow(instance, milliseconds);
  }

  private silence(milliseconds: number): void {
    const { faultPeriods, world } = this.parts;
    this.counts.silences++;
    faultPeriods.silences.push({ from: world.time.now, to: world.time.now + milliseconds });
    world.receiver.close(milliseconds);
  }

  /** Sets a machine's clock wrong for some hours. */
  private step({ machine }: SimInstance): void {
    const { faultPeriods, world } = this.parts;
    const lasts = HOUR + world.random() * 5 * HOUR;
    this.counts.steps++;
    faultPeriods.steps.push({ from: world.time.now, to: world.time.now + lasts });
    machine.offset = (world.random() * 2 - 1) * LARGEST_STEP;
    // Until its shards are handed over, and again when it takes its share back.
    faultPeriods.moves.push({ from: world.time.now, to: world.time.now + lasts + TAKEN_MS });
    if (!isRight(machine)) faultPeriods.absences.push({ from: world.time.now, to: world.time.now + SHARDS_MS });
    this.countTheRight();
    world.time.after(lasts, () => {
      machine.offset = 0;
      this.countTheRight();
    });
  }

  private async somebodyChangesThePlan(): Promise<void> {
    const { plans, looks, world } = this.parts;
    this.counts.changes++;
    const check = this.anyCheck();
    let changed: readonly PlannedCheck[] = [check];
    if (world.random() < 0.5) await plans.enable(check, !check.enabled || world.random() < 0.5);
    else changed = await plans.setPeriod(check, anyPeriod(world.random()));
    looks.reset(changed);
  }

  /** Adds a check, which may fail from its first run on; deletes one when there are many. */
  private async somebodyAddsACheck(): Promise<void> {
    const { plans, looks, world } = this.parts;
    const near = this.anyCheck();
    const project = plans.projects.find(({ projectId }) => projectId === near.projectId);
    if (project === undefined) return;
    this.counts.additions++;
    const check = await plans.check(project, near.period);
    if (world.random() < 0.6) this.turn(check.checkId, this.anyAilment());
    looks.reset([check]);
    const open = plans.checks.filter(({ deleted, checkId }) => !deleted && checkId !== check.checkId && !world.sites.steady.has(checkId));
    const deleted = open[Math.floor(world.random() * open.length)];
    if (deleted !== undefined && open.length > MOST_CHECKS) await plans.delete(deleted);
  }

  private async somebodyMaintains(): Promise<void> {
    const { plans, faultPeriods, world } = this.parts;
    const { projectId } = this.anyProject();
    const from = world.time.now + world.random() * HOUR;
    const window = { projectId, from: Math.round(from), to: Math.round(from + (10 + world.random() * 170) * MINUTE) };
    this.counts.windows++;
    faultPeriods.maintenance.push(window);
    await plans.maintain(projectId, window.from, window.to);
    this.workOn(window);
  }

  /** Sites under maintenance are down, and sometimes stay down afterwards. */
  private workOn({ projectId, from, to }: { readonly projectId: string; readonly from: number; readonly to: number }): void {
    const { plans, world } = this.parts;
    const { time, random } = world;
    const ids = [
      projectId,
      ...plans.checks.filter((check) => check.projectId === projectId && !check.deleted).map(({ checkId }) => checkId),
    ];
    time.after(from + MINUTE - time.now, () => {
      for (const id of ids) this.turn(id, 'refused');
    });
    time.after(to + (random() - 0.5) * HOUR - time.now, () => {
      for (const id of ids) this.turn(id, null);
    });
  }

  private anyAilment(): SiteFault {
    return this.parts.world.random() < 0.7 ? 'refused' : 'silent';
  }

  private anyCheck(): PlannedCheck {
    const open = this.parts.plans.checks.filter(({ deleted }) => !deleted);
    const check = open[Math.floor(this.parts.world.random() * open.length)];
    if (check === undefined) throw new Error('there are no checks');
    return check;
  }

  private anyProject(): PlannedProject {
    const { plans, world } = this.parts;
    const project = plans.projects[Math.floor(world.random() * plans.projects.length)];
    if (project === undefined) throw new Error('there are no projects');
    return project;
  }
}

const anyPeriod = (random: number): AreaPeriod =>
  (['5 minutes', '30 minutes', '1 hour', '8 hours', 'false'] as AreaPeriod[])[Math.floor(random ** 1.3 * 5)] ?? '1 hour';
