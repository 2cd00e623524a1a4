import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import type { RetryingClient } from './retrying-client.ts';

const SOON_MS = 120_000;

export interface ReceivedBatch {
  readonly scope: string;
  /** Position of the batch before. */
  readonly previous: number;
  readonly positions: readonly number[];
}

/** What a receiver of every event holds against the log: in order and without a gap in each scope; repeats are allowed. */
export class PushedOrder {
  readonly problems: string[] = [];
  private readonly last = new Map<string, number>();
  private readonly seen = new Map<string, number>();

  take({ scope, previous, positions }: ReceivedBatch): void {
    let last = this.last.get(scope) ?? -1;
    if (previous > last) this.problems.push(`a batch of ${scope} continues ${String(previous)}, and ${String(last)} was received`);
    for (const [index, position] of positions.entries()) {
      if (index > 0 && position <= (positions[index - 1] ?? -1)) this.problems.push(`${String(position)} of ${scope} came out of order`);
      if (position <= last) continue;
      last = position;
      this.seen.set(scope, (this.seen.get(scope) ?? 0) + 1);
    }
    this.last.set(scope, last);
  }

  countOf(scope: string): number {
    return this.seen.get(scope) ?? 0;
  }
}

/** A destination of the installation that gets every event. */
export class PushedEvents {
  readonly order = new PushedOrder();

  private constructor(private readonly receiver: Receiver) {}

  static async begin(client: RetryingClient): Promise<PushedEvents> {
    const receiver = await startReceiver();
    const pushed = new PushedEvents(receiver);
    receiver.answer = ({ body }, response) => {
      const [{ data }, ...events] = JSON.parse(body) as [{ data: { scope: string; previous: string } }, ...{ position: string }[]];
      pushed.order.take({
        scope: data.scope,
        previous: Number(data.previous),
        positions: events.map(({ position }) => Number(position)),
      });
      response.end('ok');
    };
    const wanted = { name: 'everything', url: receiver.url, from: '0' };
    await client.write('POST', '/destinations', wanted, 'destination', { DestinationAdded: 1 });
    return pushed;
  }

  /** Waits until everything that is in the log now has arrived. */
  async untilComplete(pool: pg.Pool): Promise<void> {
    const { rows } = await pool.query<{ scope: string; events: number }>('SELECT scope, count(*)::int AS events FROM log GROUP BY scope');
    const deadline = performance.now() + SOON_MS;
    for (;;) {
      const [problem] = this.order.problems;
      if (problem !== undefined) throw new Error(problem);
      const missing = rows.find(({ scope, events }) => this.order.countOf(scope) < events);
      if (missing === undefined) return;
      if (performance.now() > deadline)
        throw new Error(`of ${missing.scope} ${String(this.order.countOf(missing.scope))} of ${String(missing.events)} events were pushed`);
      await sleep(100);
    }
  }

  close(): Promise<void> {
    return this.receiver.close();
  }
}
