import { callbackGauge } from './callback-gauge.ts';
import type { Metrics } from './metrics.ts';

const REASONS = ['connections', 'connections_of_address', 'unfinished_requests'] as const;

/** Connections of clients, and those that the limits refuse (docs/operations.md, Slow and many clients). */
export class ConnectionMetrics {
  private readonly refusals;

  constructor(private readonly metrics: Metrics) {
    this.refusals = metrics.counter(
      'watchledger_clients_refused_total',
      'Connections closed and requests refused by the limits of connections and unfinished requests',
      ['limit'],
    );
    for (const limit of REASONS) this.refusals.inc({ limit }, 0);
  }

  refused(limit: (typeof REASONS)[number]): void {
    this.refusals.inc({ limit });
  }

  observeConnections(count: () => number): void {
    this.gauge('watchledger_connections', 'Open connections of clients', count);
  }

  observeUnfinishedRequests(count: () => number): void {
    this.gauge('watchledger_unfinished_requests', 'Requests whose body is being received', count);
  }

  private gauge(name: string, help: string, count: () => number): void {
    callbackGauge(this.metrics.registry, { name, help }, (set) => {
      set(count());
    });
  }
}
