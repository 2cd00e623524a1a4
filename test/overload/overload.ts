import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPageSite, twentyKilobytes } from '../../bench/support/page-site.ts';
import { processSeconds } from '../../bench/support/processor.ts';
import { projectCreated } from '../../bench/support/projects.ts';
import { PostgresEventStore } from '../../src/platform/event-store/postgres/postgres-event-store.ts';
import { derivedId } from '../../src/kernel/ids.ts';
import { LocalWake } from '../../src/platform/postgres/wake.ts';
import { logOrder } from '../faults/service/invariants/log-order.ts';
import { writesOnce } from '../faults/service/invariants/writes-once.ts';
import type { TestDatabase } from '../support/database.ts';
import { TestService } from '../support/service.ts';
import { Clients, type Read } from './clients.ts';
import { limitProcessor } from './cpu-quota.ts';
import { readMetrics, type ServiceMetrics } from './service-metrics.ts';

export interface OverloadPlan {
  readonly database: TestDatabase;
  /** Each with uptime every 15 s. */
  readonly projects: number;
  /** What the service needs, divided by what it gets. */
  readonly factor: number;
  readonly calibrationSeconds: number;
  /** Calibrates once the service is on time, and refuses to judge where it is not, or needs a larger share of a core. Without it everything is judged. */
  readonly headroom?: { readonly onTimeWithinSeconds: number; readonly maxShare: number };
  readonly overloadSeconds: number;
  /** Reads are not judged for so long: work that was under way when the processor time was taken away is worked off first. */
  readonly transitionSeconds: number;
  /** The longest that 99 of 100 reads may take; 2 s unless stated. */
  readonly readP99Ms?: number;
  /** From the end of the overload until everything is on time again, at most; 60 s unless stated. */
  readonly recoveredWithinSeconds?: number;
  /** HTTPS costs more of a processor than HTTP, so that fewer projects are enough. */
  readonly https: boolean;
  readonly say: (line: string) => void;
}

export interface OverloadFigures {
  /** Of one core, with time to spare. */
  readonly neededShare: number;
  readonly grantedShare: number;
  readonly reads: number;
  readonly readP99Ms: number;
  readonly writes: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  /** Probes that were due during the overload; each was made, left out or is waiting. */
  readonly due: number;
  readonly made: number;
  readonly leftOut: number;
  readonly recoveredSeconds: number;
  readonly violations: readonly string[];
}

/** The service is overloaded without a limit, or could not make up for an overload in time: nothing can be said about it here. */
export class MachineTooSlow extends Error {}

const PERIOD_SECONDS = 15;
const READ_P99_MS = 2_000;
const RECOVERED_WITHIN_SECONDS = 60;
/** A probe that is as late is on time: a busy machine, not a backlog. */
const ON_TIME_SECONDS = 2;
const ON_TIME_POLLS = 3;
/** From when on readiness calls late probes degraded. */
const DEGRADED_SECONDS = 15;
/** The share of the time in which read models may be so far behind that writes are refused. */
const NOT_READY = 0.1;
const CLIENT_PROJECTS = 20;
const POLL_MS = 1_000;

/** Overloads a running service by taking processor time away from it, and checks what it promises of it (docs/operations.md#overload). */
export async function overload(plan: OverloadPlan): Promise<OverloadFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'watchledger-overload-'));
  const site = await openPageSite(twentyKilobytes(), { host: '0.0.0.0' });
  const root = join(folder, 'root.pem');
  await writeFile(root, site.root);
  const service = await TestService.start({
    database: plan.database,
    env: { RATE_LIMIT: '0', ALLOW_TARGETS: '127.0.0.0/8', NODE_EXTRA_CA_CERTS: root, LOG_LEVEL: 'info' },
  });
  try {
    const url = plan.https ? `https://127.0.0.1:${String(site.https)}/` : `http://127.0.0.1:${String(site.http)}/`;
    const projectIds = await createProjects(plan, url);
    return await new Overload(plan, service, projectIds).run();
  } finally {
    await service.stop();
    site.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function createProjects({ database, projects }: OverloadPlan, url: string): Promise<readonly string[]> {
  const store = new PostgresEventStore(database.pool, new LocalWake());
  const ids = Array.from({ length: projects }, (_, index) => derivedId('overload', index).replaceAll('-', '').slice(0, 24));
  await Promise.all(ids.map((id) => store.append(`project-${id}`, 'no stream', [projectCreated(id, url, String(PERIOD_SECONDS) as '15')])));
  return ids;
}

class Overload {
  private readonly violations: string[] = [];
  private polls = 0;
  private readonly notReady: string[] = [];
  private isShownLate = false;
  private isShownDegraded = false;

  constructor(
    private readonly plan: OverloadPlan,
    private readonly service: TestService,
    private readonly projectIds: readonly string[],
  ) {}

  async run(): Promise<OverloadFigures> {
    const { factor, overloadSeconds, transitionSeconds, say } = this.plan;
    const clients = await Clients.signIn(this.service.url, this.projectIds.slice(0, CLIENT_PROJECTS));
    clients.begin();
    const neededShare = await this.calibrate();
    const grantedShare = neededShare / factor;
    say(
      `needs ${percent(neededShare)} of a core, gets ${percent(grantedShare)} for ${String(overloadSeconds)} s | load ${loadavg()[0]?.toFixed(1) ?? ''}`,
    );
    const before = await this.metrics();
    const from = performance.now();
    const release = limitProcessor(this.service.pid, grantedShare);
    const until = from + overloadSeconds * 1_000;
    while (performance.now() < until) await this.watch();
    const after = await this.metrics();
    const measuredSeconds = (performance.now() - from) / 1_000;
    await release();
    const recoveredSeconds = await this.recover();
    const to = from + (measuredSeconds + recoveredSeconds) * 1_000;
    await clients.end();
    const made = after.started - before.started;
    const leftOut = after.putOff - before.putOff;
    const due = Math.round((this.projectIds.length / PERIOD_SECONDS) * measuredSeconds);
    this.judgeCounts({ due, counted: made + leftOut + after.queued - before.queued, after, measuredSeconds });
    const readP99Ms = this.judgeReads(clients.reads.filter(({ at }) => at >= from + transitionSeconds * 1_000 && at <= to));
    await this.judgeWrites(clients);
    await this.judgeVerdicts();
    return {
      ...{ neededShare, grantedShare, readP99Ms, due, made, leftOut, recoveredSeconds, violations: this.violations },
      reads: clients.reads.length,
      writes: Object.fromEntries(clients.statuses),
      acknowledged: clients.writes.count,
    };
  }

  /** The share of a core that it needs to be on time: what a probe costs now, with all that comes with it, times the probes that are due. */
  private async calibrate(): Promise<number> {
    const { headroom } = this.plan;
    const perSecond = this.projectIds.length / PERIOD_SECONDS;
    const first = await this.metrics();
    while ((await this.metrics()).started < first.started + perSecond) await sleep(100);
    if (headroom !== undefined) await this.untilOnTime(headroom.onTimeWithinSeconds);
    const before = { at: performance.now(), spent: processSeconds(this.service.pid), ...(await this.metrics()) };
    await sleep(this.plan.calibrationSeconds * 1_000);
    const now = await this.metrics();
    const seconds = (performance.now() - before.at) / 1_000;
    const share = (processSeconds(this.service.pid) - before.spent) / seconds;
    this.plan.say(`without a limit, ${percent(share)} of a core: ${describe(now)}`);
    const needed = (share * perSecond) / Math.min(perSecond, (now.started - before.started) / seconds);
    if (headroom !== undefined && (!isOnTime(now) || needed > headroom.maxShare)) throw this.tooSlow(needed, now);
    return needed;
  }

  /** After a start it compiles its hot paths and looks at every site for the first time. */
  private async untilOnTime(withinSeconds: number): Promise<void> {
    const from = performance.now();
    for (let inTime = 0; inTime < ON_TIME_POLLS; await sleep(POLL_MS)) {
      const metrics = await this.metrics();
      inTime = isOnTime(metrics) ? inTime + 1 : 0;
      if (performance.now() - from > withinSeconds * 1_000) throw this.tooSlow(null, metrics);
    }
  }

  private tooSlow(share: number | null, metrics: ServiceMetrics): MachineTooSlow {
    const projects = String(this.projectIds.length);
    const needs = share === null ? 'are not on time' : `need ${percent(share)} of a core`;
    const load = loadavg()[0]?.toFixed(1) ?? '';
    return new MachineTooSlow(
      `${projects} projects ${needs} without a limit (${describe(metrics)}; load ${load}): take fewer, or a quieter machine`,
    );
  }

  private async watch(): Promise<void> {
    const metrics = await this.metrics();
    const ready = await this.readiness();
    this.isShownLate ||= metrics.isOverloaded && metrics.queued > 0;
    this.isShownDegraded ||= ready.status === 200 && ready.checker.startsWith('degraded');
    this.polls++;
    if (ready.status !== 200) this.notReady.push(`${String(ready.status)} ${ready.text}`);
    this.plan.say(`${describe(metrics)}, ready ${String(ready.status)}, checker ${ready.checker}`);
    await sleep(POLL_MS);
  }

  /** Seconds until everything is on time again, and stays so. */
  private async recover(): Promise<number> {
    const within = this.plan.recoveredWithinSeconds ?? RECOVERED_WITHIN_SECONDS;
    const from = performance.now();
    for (let inTime = 0, since = from; ;) {
      const metrics = await this.metrics();
      const ready = await this.readiness();
      const seconds = (performance.now() - from) / 1_000;
      if (ready.status !== 200 || ready.checker !== 'ok' || !isOnTime(metrics)) [inTime, since] = [0, performance.now()];
      else if (++inTime === ON_TIME_POLLS) return (since - from) / 1_000;
      if (seconds > within) {
        this.violations.push(`not on time ${String(within)} s after the overload: ${describe(metrics)}, ready ${ready.text}`);
        return seconds;
      }
      await sleep(POLL_MS);
    }
  }

  private judgeCounts(found: {
    readonly due: number;
    readonly counted: number;
    readonly after: ServiceMetrics;
    readonly measuredSeconds: number;
  }): void {
    const { due, counted, measuredSeconds } = found;
    // Turns that were under way at either end.
    const slack = due * 0.02 + this.projectIds.length * 0.05;
    if (Math.abs(counted - due) > slack) this.violations.push(`${String(due)} probes were due, and ${String(counted)} were counted`);
    if (this.notReady.length > Math.max(1, this.polls * NOT_READY))
      this.violations.push(
        `${String(this.notReady.length)} of ${String(this.polls)} times not ready, at last ${this.notReady.at(-1) ?? ''}`,
      );
    if (!this.isShownLate) this.violations.push('no metric showed the overload');
    if (measuredSeconds > 3 * DEGRADED_SECONDS && !this.isShownDegraded)
      this.violations.push('/health/ready did not call the checker degraded');
  }

  private judgeReads(reads: readonly Read[]): number {
    const bad = reads.filter(({ status }) => status !== 200);
    const [first] = bad;
    if (first !== undefined)
      this.violations.push(
        `${String(bad.length)} of ${String(reads.length)} reads were refused: GET ${first.path} was answered ${String(first.status)}`,
      );
    const times = reads.map(({ milliseconds }) => milliseconds).sort((one, other) => one - other);
    const p99 = Math.round(times[Math.floor(times.length * 0.99)] ?? Infinity);
    if (p99 > (this.plan.readP99Ms ?? READ_P99_MS)) this.violations.push(`the 99th percentile of reads was ${String(p99)} ms`);
    return p99;
  }

  private async judgeWrites({ writes, statuses }: Clients): Promise<void> {
    const { pool } = this.plan.database;
    const state = { pool, deeds: writes.snapshot() } as Parameters<typeof writesOnce>[0];
    this.violations.push(...(await writesOnce(state)), ...(await logOrder(state)));
    for (const status of statuses.keys()) if (![200, 503].includes(status)) this.violations.push(`a write was answered ${String(status)}`);
  }

  /** The sites answered all the time. */
  private async judgeVerdicts(): Promise<void> {
    const { rows } = await this.plan.database.pool.query<{ type: string; count: number }>(
      `SELECT type, count(*)::int FROM log WHERE type ~ '(Failed|Down|Suspected)' GROUP BY type`,
    );
    for (const { type, count } of rows) this.violations.push(`${String(count)} ${type} of sites that answered all the time`);
  }

  private metrics(): Promise<ServiceMetrics> {
    return readMetrics(this.service.url);
  }

  private async readiness(): Promise<{ readonly status: number; readonly checker: string; readonly text: string }> {
    const answer = await fetch(`${this.service.url}/health/ready`, { signal: AbortSignal.timeout(10_000) });
    const text = await answer.text();
    return { status: answer.status, checker: /"checker":"([^"]*)"/.exec(text)?.[1] ?? '', text };
  }
}

const isOnTime = ({ isOverloaded, queuedSeconds }: ServiceMetrics): boolean => !isOverloaded && queuedSeconds < ON_TIME_SECONDS;

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const describe = ({ started, queued, putOff, isOverloaded, queuedSeconds }: ServiceMetrics): string =>
  `probes: ${String(started)} made, ${String(queued)} waiting for up to ${queuedSeconds.toFixed(1)} s, ${String(putOff)} left out, overloaded ${String(isOverloaded)}`;
