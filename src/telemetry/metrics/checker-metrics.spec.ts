import { describe, expect, it } from '@jest/globals';
import type { CheckerFigures } from '../../checker/checker-meter.ts';
import { HealthParts } from '../health/health-parts.ts';
import { CheckerMetrics } from './checker-metrics.ts';
import { Metrics } from './metrics.ts';

describe('metrics and readiness of the checker', () => {
  it('count lateness, outcomes and queue lengths, and report not ready when a queue is too long', async () => {
    const [metrics, health] = [new Metrics(), new HealthParts()];
    const meter = new CheckerMetrics(metrics, health);
    let figures: CheckerFigures = { shards: 16, planned: 3, running: 1, checks: 2, queues: {}, queuedMs: 0 };
    meter.observe(() => figures);
    meter.turnStarted('area', 40);
    meter.runEnded('timeout');
    meter.inconclusive();
    expect((await health.readiness()).parts).toEqual({ checker: 'ok' });
    figures = { ...figures, queues: { fetches: { queued: 400, refused: 7 } }, queuedMs: 31_000 };
    const text = await metrics.registry.metrics();
    expect(text).toContain('watchledger_checker_queue{queue="fetches"} 400');
    expect(text).toContain('watchledger_checker_put_off_total{queue="fetches"} 7');
    expect(await metrics.registry.metrics()).toContain('watchledger_checker_put_off_total{queue="fetches"} 7');
    expect(text).toContain('watchledger_checker_queue_seconds 31');
    expect(text).toContain('watchledger_checker_shards 16');
    expect(text).toContain('watchledger_runs_total{outcome="timeout"} 1');
    expect(text).toContain('watchledger_own_trouble_total 1');
    expect(text).toMatch(/watchledger_turn_lateness_seconds_bucket\{le="0.05",kind="area"\} 1/);
    expect(await health.readiness()).toEqual({
      ready: false,
      parts: { checker: '400 runs are queued to be fetched, the oldest for 31 s' },
    });
  });
});
