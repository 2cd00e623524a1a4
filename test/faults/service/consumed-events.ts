import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { RetryingClient } from './retrying-client.ts';

const SOON_MS = 120_000;
const TYPES = ['ProjectRenamed', 'AreaRenamed', 'CheckRenamed'];
const PATH = '/subscriptions/renames';
const CONSUMERS = 2;
/** Every so many pages a consumer dies before it acknowledges. */
const DIES_EVERY = 5;

interface Delivery {
  readonly token: string;
  readonly event: { readonly position: string; readonly scope: string };
}

/** What consumers hold against the log: in the order of each scope, and nothing before what comes before it is handled; repeats are allowed. */
export class ConsumedOrder {
  readonly problems: string[] = [];
  private readonly handled = new Map<string, number[]>();

  handle(scope: string, position: number): void {
    const known = this.handled.get(scope) ?? [];
    this.handled.set(scope, known);
    if (known.includes(position)) return;
    const last = known.at(-1) ?? -1;
    if (position < last) this.problems.push(`${String(position)} of ${scope} was delivered first after ${String(last)}`);
    known.push(position);
  }

  countOf(scope: string): number {
    return this.handled.get(scope)?.length ?? 0;
  }
}

/** A group of consumers of every renaming, some of which die between reading and acknowledging. */
export class ConsumedEvents {
  readonly order = new ConsumedOrder();
  readonly failures: Error[] = [];
  private running = true;
  private readonly consumers: Promise<void>[] = [];

  private constructor(private readonly client: RetryingClient) {}

  static async begin(client: RetryingClient): Promise<ConsumedEvents> {
    await client.ask('PUT', PATH, [200], { filter: { types: TYPES }, ackSeconds: 2 });
    const consumed = new ConsumedEvents(client);
    for (let consumer = 0; consumer < CONSUMERS; consumer++) {
      const failed = (error: unknown): void => {
        consumed.failures.push(error instanceof Error ? error : new Error('unknown', { cause: error }));
      };
      consumed.consumers.push(consumed.consume(`consumer-${String(consumer)}`).catch(failed));
    }
    return consumed;
  }

  /** Waits until everything that is in the log now was delivered. */
  async untilComplete(pool: pg.Pool): Promise<void> {
    const { rows } = await pool.query<{ scope: string; events: number }>(
      'SELECT scope, count(*)::int AS events FROM log WHERE type = ANY ($1) GROUP BY scope',
      [TYPES],
    );
    const deadline = performance.now() + SOON_MS;
    for (;;) {
      const [problem] = [...this.order.problems, ...this.failures.map(({ message }) => message)];
      if (problem !== undefined) throw new Error(problem);
      const missing = rows.find(({ scope, events }) => this.order.countOf(scope) < events);
      if (missing === undefined) return;
      if (performance.now() > deadline)
        throw new Error(
          `of ${missing.scope} ${String(this.order.countOf(missing.scope))} of ${String(missing.events)} events were delivered`,
        );
      await sleep(100);
    }
  }

  async close(): Promise<void> {
    this.running = false;
    await Promise.all(this.consumers);
  }

  private async consume(consumer: string): Promise<void> {
    for (let page = 1; this.running; page++) {
      const { text } = await this.client.ask('POST', `${PATH}/read`, [200], { consumer, limit: 100, wait: 2 });
      const { deliveries } = JSON.parse(text) as { readonly deliveries: readonly Delivery[] };
      if (deliveries.length === 0) continue;
      for (const { event } of deliveries) this.order.handle(event.scope, Number(event.position));
      if (page % DIES_EVERY === 0) continue;
      await this.client.ask('POST', `${PATH}/ack`, [200], { tokens: deliveries.map(({ token }) => token) });
    }
  }
}
