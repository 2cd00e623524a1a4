import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { coalesced } from '../../../kernel/cached.ts';
import { callbackGauge } from './callback-gauge.ts';
import { type Limit, LIMITS, type LimitMeter } from '../../../kernel/limits.ts';
import type pg from 'pg';

const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const KEPT_MS = 1_000;

/** Each measurement wakes the event loop, also of an idle service; the lag contains the time between two (docs/monitoring/alerts.yaml). */
const LAG_EVERY_MS = 200;

/** The Prometheus metrics at /metrics. Labels are bounded: route patterns, never paths or ids. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  readonly requests = this.histogram('watchledger_http_request_duration_seconds', 'Duration of requests by route, in seconds', [
    'method',
    'route',
    'status',
  ]);
  readonly appends = this.histogram('watchledger_append_duration_seconds', 'Duration of appends by outcome, in seconds', ['outcome']);
  readonly appended = this.counter('watchledger_events_appended_total', 'Events appended by this instance');

  /** What a scrape answers. Computing it takes milliseconds of the event loop, so that frequent scrapes share it. */
  readonly text = coalesced(() => this.registry.metrics(), KEPT_MS);

  private readonly pools = new Map<string, pg.Pool>();

  constructor() {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LAG_EVERY_MS });
    this.poolGauge();
  }

  /** For dashboards that compare before and after an upgrade. */
  about(version: string, engine: string): void {
    const row = {
      name: 'watchledger_build_info',
      help: 'Always 1; the labels are the version of the program and the engine of the event store',
      labels: ['version', 'engine'],
    };
    callbackGauge(this.registry, row, (set) => {
      set(1, { version, engine });
    });
  }

  /** `head`: the position of the last event, to which every projection is compared. */
  log(head: () => Promise<number>): void {
    callbackGauge(this.registry, { name: 'watchledger_log_head', help: 'Position of the last event of the log' }, async (set) => {
      set(await head());
    });
  }

  pool(name: string, pool: pg.Pool): void {
    this.pools.set(name, pool);
  }

  histogram<Label extends string>(name: string, help: string, labelNames: Label[] = []): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets: REQUEST_BUCKETS, registers: [this.registry] });
  }

  counter<Label extends string>(name: string, help: string, labelNames: Label[] = []): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private poolGauge(): void {
    const row = {
      name: 'watchledger_pool_connections',
      help: 'Database connections by pool and state; waiting: queries that wait for a connection',
      labels: ['pool', 'state'],
    };
    callbackGauge(this.registry, row, (set) => {
      for (const [pool, { totalCount, idleCount, waitingCount }] of this.pools) {
        set(totalCount - idleCount, { pool, state: 'busy' });
        set(idleCount, { pool, state: 'idle' });
        set(waitingCount, { pool, state: 'waiting' });
      }
    });
  }
}

/** What limits refuse, by limit. */
export class LimitMetrics implements LimitMeter {
  private readonly refusals;

  constructor(metrics: Pick<Metrics, 'counter'>) {
    this.refusals = metrics.counter('watchledger_refusals_total', 'What a limit refused, held back or ended, by limit', ['limit']);
    for (const limit of LIMITS) this.refusals.inc({ limit }, 0);
  }

  refused(limit: Limit, times = 1): void {
    this.refusals.inc({ limit }, times);
  }
}
