import type pg from 'pg';
import type { ReportRequest } from '../../src/platform/observations/samples/report.ts';
import { UptimeReader } from '../../src/watches/uptime/uptime.reader.ts';
import { verdictView } from '../../src/checker/verdicts/verdict.view.ts';
import { StateHistory } from './state-history.ts';
import { Scenario } from './scenario.ts';
import { inTurns } from './sim-database.ts';
import { certificatesWarned } from './invariants/certificates.ts';
import { failuresConfirmed } from './invariants/failures-confirmed.ts';
import { failuresIn } from './invariants/recorded-failures.ts';
import { during, type Interval } from './invariants/interval.ts';
import { jobsKept } from './invariants/jobs-completed.ts';
import { CheckSchedule } from './invariants/check-schedule.ts';
import { changesTold } from './invariants/messages-delivered.ts';
import { lookedNowAndThen } from './invariants/watch-schedule.ts';
import { outagesNoticed, type Subject } from './invariants/outages-detected.ts';
import { redirectsFollowed } from './invariants/redirects.ts';
import { reportsSent } from './invariants/reports.ts';
import { uptimeIsTrue, uptimeTakesTurns } from './invariants/uptime-figures.ts';
import { type Figures, figuresOf, knownTimes } from './invariants/uptime-model.ts';
import { DAY, HOUR, MINUTE, PERIODS, SECOND } from './time-limits.ts';
import { SimulatedAccounts, ZONES } from './simulated-accounts.ts';
import { SimulatedProjects } from './simulated-projects.ts';
import { generator } from './random.ts';
import { CertificateRenewals } from './certificate-renewals.ts';
import { FaultPeriods } from './fault-periods.ts';
import { VirtualTime } from './virtual-time.ts';
import { SimWorld } from './sim-world.ts';

const START = Date.UTC(2026, 0, 1);
const MACHINES = 4;
const GREEDY_CHECKS = 32;
const MOST_TOLD = 20;

export interface SimulationOptions {
  readonly seed: number;
  readonly days: number;
  /** A migrated database for this run only. */
  readonly pool: pg.Pool;
  readonly onDay?: (day: number) => void;
  /** Ends with the first thing that is broken. */
  readonly impatient?: boolean;
}

/** The service on virtual time: machines that check, decide and notify, under fault injection. */
export class Simulation {
  readonly broken: string[] = [];
  private readonly found = {
    runs: 0,
    samples: 0,
    ended: 0,
    givenUp: 0,
    alerted: 0,
    repeats: 0,
    noticed: 0,
    days: 0,
    warnings: 0,
    reports: 0,
  };
  private readonly time = new VirtualTime(START);
  private readonly faultPeriods = new FaultPeriods();
  private readonly world;
  private readonly plans;
  private readonly people;
  private readonly looks;
  private readonly happenings;
  private readonly renewals;

  constructor(private readonly options: SimulationOptions) {
    this.world = new SimWorld(this.time, generator(options.seed), inTurns(options.pool), {
      begun: (machine, key, due, lateMs) => {
        this.looks.begun(machine.name, key, due, lateMs);
      },
      accepted: (run, shard, epoch) => {
        this.found.runs++;
        this.looks.accepted(run, shard, epoch);
      },
      died: (instance) => {
        this.happenings.crash(instance);
      },
      broken: this.tell,
      wasAway: (from, to) => during(this.faultPeriods.absences, from, to, SECOND) > 0,
    });
    this.plans = new SimulatedProjects(this.world.store, () => this.time.now);
    this.people = new SimulatedAccounts(this.plans, this.world.keyring);
    this.looks = new CheckSchedule(this.plans.checks, this.faultPeriods, () => this.time.now, this.tell);
    const { world, plans, people, looks, faultPeriods } = this;
    this.renewals = new CertificateRenewals(world.sites.truth, this.time, world.random);
    this.happenings = new Scenario({ world, plans, people, looks, faultPeriods });
  }

  get counts() {
    return { ...this.found, ...this.happenings.counts, greedyWaits: this.world.fairTurns.greedyWaits };
  }

  async pass(): Promise<void> {
    await this.begin();
    const end = START + this.options.days * DAY;
    const calm = end - 14 * HOUR;
    for (let day = 0; this.time.now < calm && !this.isOver();) {
      await this.time.run(Math.min(calm, this.time.now + this.world.random() * 4 * HOUR));
      if (this.time.now < calm) await this.happenings.something();
      if (this.time.now >= START + (day + 1) * DAY) this.options.onDay?.(++day);
    }
    await this.time.run(this.time.now + HOUR);
    this.happenings.healAll();
    if (!this.isOver()) await this.time.run(end);
    if (!this.isOver()) await this.judge();
    for (const instance of [...this.world.instances]) this.world.crash(instance);
  }

  private isOver(): boolean {
    return this.options.impatient === true && this.broken.length > 0;
  }

  private async begin(): Promise<void> {
    const { plans, people, world } = this;
    for (const zone of ZONES) await people.open(zone);
    for (const person of people.all.slice(0, 1)) await people.webhook(person);
    await plans.project({ period: '5 minutes', checks: 1, delay: 0 });
    await plans.project({ period: '30 minutes', checks: 3, isRedirectWatched: true });
    await plans.project({ period: '30 minutes', checks: 1, delay: 0 });
    await plans.project({ period: '1 hour', checks: 2, isRedirectWatched: true });
    await plans.project({ period: '8 hours', checks: 2, delay: 0 });
    await plans.project({ period: 'false', checks: 0, isProbed: true });
    const steady = await plans.project({ period: '1 hour', checks: 1 });
    for (const { checkId, projectId } of plans.checks) if (projectId === steady.projectId) world.sites.steady.add(checkId);
    for (const { checkId } of (await plans.greedyProject(GREEDY_CHECKS)).checks) {
      world.sites.slow.add(checkId);
      world.sites.steady.add(checkId);
    }
    for (const { projectId, isRedirectWatched } of plans.projects) {
      for (const person of people.all) await people.join(person, projectId);
      this.renewals.begin(projectId);
      if (isRedirectWatched) world.sites.truth.redirects.set(projectId, new StateHistory(START, 'ok'));
    }
    this.time.after(this.options.days * 0.6 * DAY, () => {
      for (const person of people.all.slice(-1)) void this.time.hold(people.erase(person, this.time.now));
    });
    for (let count = 0; count < MACHINES; count++) await world.start();
    this.looks.reset(plans.checks);
  }

  private async judge(): Promise<void> {
    const { store, receiver, evidence, sites } = this.world;
    const { events } = store;
    const { faultPeriods, tell } = this;
    const end = this.time.now;
    await this.everybodyIsWell();
    for (const { checkId } of this.plans.checks) this.looks.gap(checkId);
    Object.assign(this.found, jobsKept(events, { evidence, faultPeriods, end }, tell));
    this.found.alerted = changesTold(events.slice(this.world.followedFrom), receiver, faultPeriods, end, tell);
    this.found.repeats = receiver.repeats;
    const failures = failuresIn(events);
    failuresConfirmed(failures, evidence, faultPeriods, tell);
    this.found.noticed = outagesNoticed(this.subjects(), { truth: sites.truth, failures, receiver, faultPeriods, end }, tell);
    uptimeTakesTurns(events, tell);
    this.found.warnings = certificatesWarned({ events, truth: sites.truth, faultPeriods, end }, tell);
    redirectsFollowed({ events, truth: sites.truth, faultPeriods, end }, tell);
    lookedNowAndThen({ truth: sites.truth, faultPeriods, from: START, end }, tell);
    await this.figuresAreTrue(end);
  }

  private subjects(): readonly Subject[] {
    const probed = this.plans.projects.filter(({ isProbed }) => isProbed);
    return [
      ...this.plans.checks.map(({ checkId, projectId, every }) => ({ id: checkId, projectId, every })),
      ...probed.map(({ projectId }) => ({ id: projectId, projectId, every: new StateHistory<number | null>(START, MINUTE) })),
    ];
  }

  private async figuresAreTrue(end: number): Promise<void> {
    const { views, samples, sites, random, store } = this.world;
    const reports = new UptimeReader(views, samples);
    for (const { projectId, isProbed } of this.plans.projects) {
      if (!isProbed) continue;
      const watched = {
        ...{ projectId, samples: samples.of(projectId), truth: sites.truth, faultPeriods: this.faultPeriods },
        report: (request: ReportRequest) => reports.totals(projectId, request),
      };
      this.found.samples += watched.samples.length;
      await uptimeIsTrue(watched, { from: START, to: end }, random, this.tell);
      const known = knownTimes(watched.samples);
      const uptimeOf = (span: Interval): Figures => figuresOf(known, span, []);
      const { people, faultPeriods } = this;
      this.found.reports = reportsSent(
        { people: people.all, receiver: this.world.receiver, faultPeriods, from: START, end, uptimeOf },
        this.tell,
      );
    }
    this.found.days = store.events.filter(({ type }) => type === 'UptimeDayClosed').length;
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
        this.tell(`${checkId} is healthy, but its verdict is ${JSON.stringify(verdict)}`);
    }
  }

  private readonly tell = (what: string): void => {
    if (this.broken.length < MOST_TOLD) this.broken.push(`${new Date(this.time.now).toISOString()} ${what}`);
  };
}
