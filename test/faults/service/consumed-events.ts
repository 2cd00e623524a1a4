import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { DeliveryHistory, type HandedOut } from './delivery-history.ts';
import type { Body, RetryingClient } from './retrying-client.ts';

const SOON_MS = 120_000;
const TYPES = ['ProjectRenamed', 'AreaRenamed', 'CheckRenamed'];
const PATH = '/subscriptions/renames';
const ACK_SECONDS = 2;
/** Two consumers of one name are two. */
const CONSUMERS = ['consumer-0', 'consumer-0', 'consumer-1'];
/** Positions by which a reset goes back. */
const RESET_BACK = 20;

interface SubscriptionPage {
  readonly deliveries: readonly { readonly token: string; readonly event: { readonly position: string; readonly scope: string } }[];
}

interface Settled {
  readonly done: number;
  readonly stale: readonly string[];
}

/** A group of consumers of every renaming, which do everything wrong that a consumer can do. */
export class ConsumedEvents {
  readonly history = new DeliveryHistory();
  readonly failures: Error[] = [];
  private running = true;
  /** So that the end can be reached. */
  private isWellBehaved = false;
  private readonly consumers: Promise<void>[] = [];

  private constructor(private readonly client: RetryingClient) {}

  static async begin(client: RetryingClient): Promise<ConsumedEvents> {
    await client.ask('PUT', PATH, [200], { filter: { types: TYPES }, ackSeconds: ACK_SECONDS });
    const consumed = new ConsumedEvents(client);
    for (const [index, name] of CONSUMERS.entries()) {
      const failed = (error: unknown): void => {
        consumed.failures.push(error instanceof Error ? error : new Error('unknown', { cause: error }));
      };
      consumed.consumers.push(consumed.consume(index, name).catch(failed));
    }
    return consumed;
  }

  /** Waits until everything that is in the log now was delivered, and everything that was parked was delivered again. */
  async untilComplete(pool: pg.Pool): Promise<void> {
    this.isWellBehaved = true;
    const { rows } = await pool.query<{ scope: string; events: number }>(
      'SELECT scope, count(*)::int AS events FROM log WHERE type = ANY ($1) GROUP BY scope',
      [TYPES],
    );
    const deadline = performance.now() + SOON_MS;
    for (;;) {
      const [problem] = [...this.history.problems, ...this.failures.map(({ message }) => message)];
      if (problem !== undefined) throw new Error(problem);
      const missing = rows.find(({ scope, events }) => this.history.countOf(scope) < events);
      const parked = this.history.stillParked;
      if (missing === undefined && parked.length === 0) break;
      if (performance.now() > deadline)
        throw new Error(
          missing === undefined
            ? `parked, and not delivered again: ${parked.join(', ')}`
            : `of ${missing.scope} ${String(this.history.countOf(missing.scope))} of ${String(missing.events)} events were delivered`,
        );
      if (parked.length > 0) await this.replay();
      await sleep(100);
    }
    this.isWellBehaved = false;
  }

  async close(): Promise<void> {
    this.running = false;
    await Promise.all(this.consumers);
  }

  private async consume(consumer: number, name: string): Promise<void> {
    const faults = [
      () => Promise.resolve(), // dies before it acknowledges
      (page: readonly HandedOut[]) => this.acknowledgeTwice(page),
      (page: readonly HandedOut[]) => this.acknowledgeLate(page),
      (page: readonly HandedOut[]) => this.refuse(page, { action: 'retry' }),
      (page: readonly HandedOut[]) => this.park(page),
      (page: readonly HandedOut[]) => this.acknowledgeUnknown(page),
      (page: readonly HandedOut[]) => this.resetWhileRead(page),
      (page: readonly HandedOut[]) => this.replay().then(() => this.acknowledge(page)),
    ];
    for (let pages = 1; this.running; pages++) {
      const { deliveries } = await this.post<SubscriptionPage>('read', { consumer: name, limit: 100, wait: 2 });
      if (deliveries.length === 0) continue;
      const page = deliveries.map(({ token, event }) => ({ token: Number(token), scope: event.scope, position: Number(event.position) }));
      for (const delivery of page) this.history.deliver(consumer, delivery);
      const fault = pages % 5 === 0 && !this.isWellBehaved ? faults[(pages / 5 + consumer) % faults.length] : undefined;
      await (fault ?? ((all: readonly HandedOut[]) => this.acknowledge(all)))(page);
    }
  }

  private async acknowledge(page: readonly HandedOut[]): Promise<void> {
    const { epoch } = this.history;
    const { stale } = await this.post<Settled>('ack', { tokens: tokensOf(page) });
    for (const delivery of page) if (!stale.includes(String(delivery.token))) this.history.acknowledge(delivery, epoch);
  }

  private async acknowledgeTwice(page: readonly HandedOut[]): Promise<void> {
    await this.acknowledge(page);
    const { done } = await this.post<Settled>('ack', { tokens: tokensOf(page) });
    if (done > 0) this.history.problems.push(`${String(done)} deliveries were acknowledged twice`);
  }

  private async acknowledgeLate(page: readonly HandedOut[]): Promise<void> {
    await sleep(ACK_SECONDS * 1_000 + 500);
    await this.acknowledge(page);
  }

  private async acknowledgeUnknown(page: readonly HandedOut[]): Promise<void> {
    const { done } = await this.post<Settled>('ack', { tokens: ['1', '999999999999999'] });
    if (done > 0) this.history.problems.push('a token that was never handed out was acknowledged');
    await this.acknowledge(page);
  }

  private async refuse(page: readonly HandedOut[], refusal: Body): Promise<readonly HandedOut[]> {
    const { stale } = await this.post<Settled>('nack', { tokens: tokensOf(page), ...refusal });
    return page.filter(({ token }) => !stale.includes(String(token)));
  }

  private async park(page: readonly HandedOut[]): Promise<void> {
    const [first] = page;
    if (first === undefined) return;
    this.history.park(first);
    const parked = await this.refuse([first], { action: 'park', reason: 'cannot be handled' });
    if (parked.length === 0) this.history.notParked(first);
    if (page.length > 1) await this.acknowledge(page.slice(1));
  }

  private async resetWhileRead(page: readonly HandedOut[]): Promise<void> {
    const { position } = JSON.parse((await this.client.ask('GET', PATH, [200])).text) as { readonly position: string };
    await this.history.duringReset(() => this.post('reset', { to: String(Math.max(-1, Number(position) - RESET_BACK)) }));
    await this.acknowledge(page);
  }

  private async replay(): Promise<void> {
    await this.post('parked/replay', {});
  }

  private async post<Answer>(action: string, body: Body): Promise<Answer> {
    return JSON.parse((await this.client.ask('POST', `${PATH}/${action}`, [200], body)).text) as Answer;
  }
}

const tokensOf = (page: readonly HandedOut[]): readonly string[] => page.map(({ token }) => String(token));
