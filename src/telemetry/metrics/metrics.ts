import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { callbackGauge } from './callback-gauge.ts';

const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What Prometheus reads at /metrics. Labels are bounded: routes, never paths; no ids. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  readonly requests = this.histogram('watchledger_http_request_duration_seconds', 'Time of a request by route', [
    'method',
    'route',
    'status',
  ]);
  readonly appends = this.histogram('watchledger_append_duration_seconds', 'Time of an append by outcome', ['outcome']);
  readonly appended = this.counter('watchledger_events_appended_total', 'Events that this instance appended');

  private readonly pools = new Map<string, pg.Pool>();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.poolGauge();
  }

  /** For boards that compare before and after an upgrade. */
  about(version: string, engine: string): void {
    const row = {
      name: 'watchledger_build_info',
      help: 'Always 1: the version of the program, and where events are kept',
      labels: ['version', 'engine'],
    };
    callbackGauge(this.registry, row, (tell) => {
      tell(1, { version, engine });
    });
  }

  /** `head`: the last event of the log, to which every projection is compared. */
  log(head: () => Promise<number>): void {
    callbackGauge(this.registry, { name: 'watchledger_log_head', help: 'The last event of the log' }, async (tell) => {
      tell(await head());
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
      help: 'Database connections by pool and state; waiting counts those who want one',
      labels: ['pool', 'state'],
    };
    callbackGauge(this.registry, row, (tell) => {
      for (const [pool, { totalCount, idleCount, waitingCount }] of this.pools) {
        tell(totalCount - idleCount, { pool, state: 'busy' });
        tell(idleCount, { pool, state: 'idle' });
        tell(waitingCount, { pool, state: 'waiting' });
      }
    });
  }
}
