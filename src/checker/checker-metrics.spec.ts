import { describe, expect, it } from '@jest/globals';
import type { CheckerFigures } from './checker-meter.ts';
import { HealthParts } from '../platform/telemetry/health/health-parts.ts';
import { CheckerMetrics } from './checker-metrics.ts';
import { Metrics } from '../platform/telemetry/metrics/metrics.ts';

const idle = { queued: 0, queuedMs: 0, lateAccounts: 0, refused: 0 };
const quiet: CheckerFigures = {
  ...{ shards: 16, planned: 3, running: 1, checks: 2, queues: {}, largestShares: {} },
  ...{ flushFailures: { runs: 0, samples: 0 }, failingFlushes: {} },
  ...{ clockOffsetMs: 12, isClockWrong: false, isOverloaded: false },
};

function observed() {
  const [metrics, health] = [new Metrics(), new HealthParts()];
  const meter = new CheckerMetrics(metrics, health);
  const seen = { figures: quiet };
  meter.observe(() => seen.figures);
  return { metrics, health, meter, seen };
}

describe('metrics of the checker', () => {
  it('count lateness, outcomes, and the work that waits, without naming an account', async () => {
    const { metrics, meter, seen } = observed();
    meter.turnStarted('area', 40);
    meter.runEnded('timeout');
    meter.inconclusive();
    const fetches = { queued: 400, queuedMs: 31_000, lateAccounts: 2, refused: 7 };
    seen.figures = { ...quiet, queues: { fetches }, largestShares: { fetches: 0.5 }, flushFailures: { runs: 3 } };
    const text = await metrics.registry.metrics();
    expect(text).toContain('watchledger_checker_queue{queue="fetches"} 400');
    expect(text).toContain('watchledger_checker_queue_seconds{queue="fetches"} 31');
    expect(text).toContain('watchledger_checker_late_accounts{queue="fetches"} 2');
    expect(text).toContain('watchledger_checker_largest_share{queue="fetches"} 0.5');
    expect(text).toContain('watchledger_checker_put_off_total{queue="fetches"} 7');
    expect(await metrics.registry.metrics()).toContain('watchledger_checker_put_off_total{queue="fetches"} 7');
    expect(text).toContain('watchledger_checker_flush_failures_total{kind="runs"} 3');
    expect(text).toContain('watchledger_checker_clock_offset_seconds 0.012');
    expect(text).toContain('watchledger_checker_shards 16');
    expect(text).toContain('watchledger_runs_total{outcome="timeout"} 1');
    expect(text).toContain('watchledger_own_trouble_total 1');
    expect(text).toMatch(/watchledger_turn_lateness_seconds_bucket\{le="0.05",kind="area"\} 1/);
  });
});

describe('readiness of the checker', () => {
  /** With parts of its own, because an answer is kept for half a second. */
  const readinessWith = (figures: Partial<CheckerFigures>) => {
    const { health, seen } = observed();
    seen.figures = { ...quiet, ...figures };
    return health.readiness();
  };

  it('is degraded while scheduled work of an account waits too long, and serves requests nevertheless', async () => {
    const late = { queued: 9, queuedMs: 75_400, lateAccounts: 2, refused: 0 };
    const reason = 'degraded: scheduled checks have waited for up to 75 s (accounts concerned: 2)';
    const ok = { ready: true, parts: { checker: 'ok' } };
    expect(await readinessWith({})).toEqual(ok);
    expect(await readinessWith({ queues: { fetches: late, probes: idle } })).toEqual({ ready: true, parts: { checker: reason } });
    expect(await readinessWith({ queues: { fetches: idle, 'job fetches': late, looks: late } })).toEqual(ok);
  });

  it('is degraded while runs or samples cannot be stored, and names the reason', async () => {
    const readiness = await readinessWith({ failingFlushes: { runs: 'disk full' } });
    expect(readiness).toEqual({ ready: true, parts: { checker: 'degraded: runs cannot be stored: disk full' } });
  });

  it('is lost while the clock of the machine is wrong', async () => {
    const reason = "checks are suspended: this machine's clock is -300 s ahead of the database's";
    const readiness = await readinessWith({ clockOffsetMs: -300_000, isClockWrong: true });
    expect(readiness).toEqual({ ready: false, parts: { checker: reason } });
  });
});
