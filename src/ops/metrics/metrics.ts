import { Injectable } from '@nestjs/common';
import type pg from 'pg';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface ProjectionState {
  /** The last event that it has taken. */
  readonly position: number;
  readonly lagSeconds: number;
}

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
  private readonly projections = new Map<string, () => ProjectionState>();

  constructor() {
    collectDefaultMetrics({ register: this.registry });
    this.poolGauge();
    this.projectionGauge('position', 'The last event that a projection took; its rate is the projection rate', ({ position }) => position);
    this.projectionGauge('lag_seconds', 'Time that a projection is behind', ({ lagSeconds }) => lagSeconds);
  }

  /** `head`: the last event of the log, to which every projection is compared. */
  log(head: () => Promise<number>): void {
    const { projections, registry } = this;
    new Gauge({
      name: 'watchledger_log_head',
      help: 'The last event of the log',
      registers: [registry],
      async collect() {
        this.set(await head());
      },
    });
    new Gauge({
      name: 'watchledger_projection_gap_events',
      help: 'Events that a projection is behind',
      labelNames: ['projection'],
      registers: [registry],
      async collect() {
        const last = await head();
        for (const [projection, state] of projections) this.set({ projection }, Math.max(0, last - state().position));
      },
    });
  }

  pool(name: string, pool: pg.Pool): void {
    this.pools.set(name, pool);
  }

  projection(name: string, state: () => ProjectionState): void {
    this.projections.set(name, state);
  }

  histogram<Label extends string>(name: string, help: string, labelNames: Label[] = []): Histogram<Label> {
    return new Histogram({ name, help, labelNames, buckets: REQUEST_BUCKETS, registers: [this.registry] });
  }

  counter<Label extends string>(name: string, help: string, labelNames: Label[] = []): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private poolGauge(): void {
    const { pools } = this;
    new Gauge({
      name: 'watchledger_pool_connections',
      help: 'Database connections by pool and state; waiting counts those who want one',
      labelNames: ['pool', 'state'],
      registers: [this.registry],
      collect() {
        for (const [pool, { totalCount, idleCount, waitingCount }] of pools) {
          this.set({ pool, state: 'busy' }, totalCount - idleCount);
          this.set({ pool, state: 'idle' }, idleCount);
          this.set({ pool, state: 'waiting' }, waitingCount);
        }
      },
    });
  }

  private projectionGauge(what: string, help: string, value: (state: ProjectionState) => number): void {
    const { projections } = this;
    new Gauge({
      name: `watchledger_projection_${what}`,
      help,
      labelNames: ['projection'],
      registers: [this.registry],
      collect() {
        for (const [projection, state] of projections) this.set({ projection }, value(state()));
      },
    });
  }
}
