import { Counter, Gauge } from 'prom-client';
import type { CheckerMeter, CheckerFigures, RunOutcome } from '../../checker/checker-meter.ts';
import type { HealthParts } from '../health/health-parts.ts';
import type { Metrics } from './metrics.ts';

/** Not ready while a run waits longer than this for a fetch permit: the installation needs more checkers, or longer periods. */
const MAX_QUEUED_MS = 30_000;

const GAUGES = {
  watchledger_checker_shards: ['Shards held by this checker', ({ shards }) => shards],
  watchledger_checker_checks: ['Enabled checks in the shards of this checker', ({ checks }) => checks],
  watchledger_checker_planned: ['Planned turns', ({ planned }) => planned],
  watchledger_checker_running: ['Turns in progress', ({ running }) => running],
  watchledger_checker_queue_seconds: ['Time that the oldest queued run has waited for a fetch permit', ({ queuedMs }) => queuedMs / 1000],
} as const satisfies Record<string, readonly [string, (figures: CheckerFigures) => number]>;

/** Label values are part of the published interface. */
const LABELS = { ok: 'ok', error: 'error', timeout: 'timeout', inconclusive: 'own', leaseLost: 'lost' } as const satisfies Record<
  RunOutcome,
  string
>;

/** Metrics of the checker; it reports not ready while its queue is too long. */
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
      const { queues, queuedMs } = figures();
      if (queuedMs > MAX_QUEUED_MS)
        throw new Error(
          `${String(queues['fetches']?.queued ?? 0)} runs are queued to be fetched, the oldest for ${String(Math.round(queuedMs / 1000))} s`,
        );
    });
  }

  private observeQueues(figures: () => CheckerFigures): void {
    const row = { labelNames: ['queue'], registers: [this.metrics.registry] };
    new Gauge({
      ...row,
      name: 'watchledger_checker_queue',
      help: 'Queued work: fetches of checks, uptime probes, looks, pages to judge, pages to read forms of, large pages',
      collect() {
        for (const [queue, { queued }] of Object.entries(figures().queues)) this.set({ queue }, queued);
      },
    });
    new Counter({
      ...row,
      name: 'watchledger_checker_put_off_total',
      help: 'Work refused because a queue was full, and repeated later',
      collect() {
        this.reset();
        for (const [queue, { refused }] of Object.entries(figures().queues)) this.inc({ queue }, refused);
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
