import { Counter, Gauge } from 'prom-client';
import type { CheckerMeter, CheckerFigures, RunOutcome } from './checker-meter.ts';
import type { LaneFigures } from '../kernel/concurrency-limit.ts';
import { Degraded, type HealthParts } from '../platform/telemetry/health/health-parts.ts';
import type { Metrics } from '../platform/telemetry/metrics/metrics.ts';

const GAUGES = {
  watchledger_checker_shards: ['Shards held by this checker', ({ shards }) => shards],
  watchledger_checker_checks: ['Enabled checks in the shards of this checker', ({ checks }) => checks],
  watchledger_checker_planned: ['Planned turns', ({ planned }) => planned],
  watchledger_checker_running: ['Turns in progress', ({ running }) => running],
  watchledger_checker_overloaded: [
    '1 while due work is held back, because this process or the read models cannot keep up',
    ({ isOverloaded }) => Number(isOverloaded),
  ],
  watchledger_checker_clock_offset_seconds: [
    "How far this machine's clock is ahead of the database's",
    ({ clockOffsetMs }) => (clockOffsetMs ?? NaN) / 1000,
  ],
} as const satisfies Record<string, readonly [string, (figures: CheckerFigures) => number]>;

const QUEUE_GAUGES = {
  watchledger_checker_queue: [
    'Queued work: due turns that were not admitted yet (probes; checks and looks), fetches of checks on schedule and of jobs, uptime probes, looks, pages to judge, pages to read forms of, large pages',
    ({ queued }) => queued,
  ],
  watchledger_checker_queue_seconds: ['Time that the oldest queued work has waited', ({ queuedMs }) => queuedMs / 1000],
  watchledger_checker_late_accounts: ['Accounts whose queued work has waited too long', ({ lateAccounts }) => lateAccounts],
} as const satisfies Record<string, readonly [string, (lane: LaneFigures) => number]>;

/** What readiness calls the work of a queue. A job that waits is not late: it yields to schedules. */
const SCHEDULED = {
  'due checks': 'due checks, held back by an overload,',
  'due probes': 'due uptime probes, held back by an overload,',
  fetches: 'scheduled checks',
  probes: 'uptime probes',
} as const;

function lateWork({ queues }: CheckerFigures): string | null {
  const late = Object.entries(SCHEDULED).flatMap(([queue, work]) => {
    const { lateAccounts = 0, queuedMs = 0 } = queues[queue] ?? {};
    if (lateAccounts === 0) return [];
    return [`${work} have waited for up to ${String(Math.round(queuedMs / 1000))} s (accounts concerned: ${String(lateAccounts)})`];
  });
  return late.length === 0 ? null : late.join('; ');
}

/** Label values are part of the published interface. */
const LABELS = {
  ok: 'ok',
  error: 'error',
  timeout: 'timeout',
  inconclusive: 'own',
  leaseLost: 'lost',
  skipped: 'skipped',
} as const satisfies Record<RunOutcome, string>;

/** Metrics of the checker; it reports not ready while its clock is wrong, and degraded while observations cannot be stored or scheduled work waits too long. */
export class CheckerMetrics implements CheckerMeter {
  private readonly lateness;
  private readonly runs;
  private readonly inconclusiveTotal;

  constructor(
    private readonly metrics: Metrics,
    private readonly health: Pick<HealthParts, 'register'>,
  ) {
    this.lateness = metrics.histogram('watchledger_turn_lateness_seconds', 'Time from when a turn was due until it started', ['kind']);
    this.runs = metrics.counter(
      'watchledger_runs_total',
      'Runs of checks by outcome; own: inconclusive, the cause is on our side; lost: the lease of the shard was lost',
      ['outcome'],
    );
    this.inconclusiveTotal = metrics.counter(
      'watchledger_own_trouble_total',
      'Inconclusive runs, probes and looks: the cause is on our side, and they are repeated',
    );
  }

  observe(figures: () => CheckerFigures): void {
    for (const [name, [help, value]] of Object.entries(GAUGES))
      new Gauge({
        name,
        help,
        registers: [this.metrics.registry],
        collect() {
          this.set(value(figures()));
        },
      });
    this.observeQueues(figures);
    this.health.register('checker', () => {
      const now = figures();
      const offset = `${String(Math.round((now.clockOffsetMs ?? 0) / 1000))} s`;
      if (now.isClockWrong) throw new Error(`checks are suspended: this machine's clock is ${offset} ahead of the database's`);
      const failing = Object.entries(now.failingFlushes).map(([kind, reason]) => `${kind} cannot be stored: ${reason}`);
      if (failing.length > 0) throw new Degraded(failing.join('; '));
      const late = lateWork(now);
      if (late !== null) throw new Degraded(late);
    });
  }

  private observeQueues(figures: () => CheckerFigures): void {
    const row = { labelNames: ['queue'], registers: [this.metrics.registry] };
    for (const [name, [help, value]] of Object.entries(QUEUE_GAUGES))
      new Gauge({
        ...row,
        name,
        help,
        collect() {
          for (const [queue, lane] of Object.entries(figures().queues)) this.set({ queue }, value(lane));
        },
      });
    new Gauge({
      ...row,
      name: 'watchledger_checker_largest_share',
      help: 'Share of the work under way at once that belongs to the account with the most of it',
      collect() {
        for (const [queue, share] of Object.entries(figures().largestShares)) this.set({ queue }, share);
      },
    });
    new Counter({
      ...row,
      name: 'watchledger_checker_put_off_total',
      help: "Work refused because a queue, or the account's share of it, was full, or due again before it had ended, and repeated later",
      collect() {
        this.reset();
        for (const [queue, { refused }] of Object.entries(figures().queues)) this.inc({ queue }, refused);
      },
    });
    new Counter({
      labelNames: ['kind'],
      registers: [this.metrics.registry],
      name: 'watchledger_checker_flush_failures_total',
      help: 'Flushes of runs or samples that failed: the runs are repeated, the time of the samples is unknown',
      collect() {
        this.reset();
        for (const [kind, failures] of Object.entries(figures().flushFailures)) this.inc({ kind }, failures);
      },
    });
  }

  turnStarted(kind: string, lateMs: number): void {
    this.lateness.observe({ kind }, Math.max(0, lateMs) / 1000);
  }

  runEnded(outcome: RunOutcome): void {
    this.runs.inc({ outcome: LABELS[outcome] });
  }

  inconclusive(): void {
    this.inconclusiveTotal.inc();
  }
}
