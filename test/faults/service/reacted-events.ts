import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openPool } from '../../../src/platform/postgres/pool.ts';
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts';
import type { CrashablePostgres } from './crashable-postgres.ts';
import { ReactionOrder, type ReceivedEffect } from './reaction-order.ts';

const SOON_MS = 120_000;
/** One of so many requests is refused. */
const REFUSED = 10;

/** Where the reactor of the team acts: a receiver, and a database of its own. */
export class ReactedEvents {
  readonly order = new ReactionOrder();

  private constructor(
    private readonly receiver: Receiver,
    private readonly outside: string,
    private readonly pool: pg.Pool,
  ) {}

  static async open(postgres: CrashablePostgres): Promise<ReactedEvents> {
    const outside = await postgres.create('outside');
    const pool = openPool(outside, { name: 'faults outside', max: 1, statementTimeoutMs: 5_000 });
    for (const table of ['begun', 'acted'])
      await pool.query(`CREATE TABLE ${table} (id bigserial, scope text NOT NULL, position bigint NOT NULL)`);
    const receiver = await startReceiver();
    const reacted = new ReactedEvents(receiver, outside, pool);
    receiver.answer = ({ body, headers }, response) => {
      const isAccepted = receiver.received.length % REFUSED !== 0;
      const effect = JSON.parse(body) as Omit<ReceivedEffect, 'key'>;
      reacted.order.take({ ...effect, key: String(headers['idempotency-key']) }, isAccepted);
      response.writeHead(isAccepted ? 204 : 503).end();
    };
    return reacted;
  }

  get env(): Readonly<Record<string, string>> {
    return { EFFECTS_URL: this.receiver.url, OUTSIDE_DATABASE: this.outside };
  }

  /** Waits until the effects of every fourth renaming that is in the log now were made: the requests at least once, the statements once, both in order. */
  async untilComplete(pool: pg.Pool): Promise<void> {
    const { rows } = await pool.query<Renamings>(
      `SELECT scope, array_agg(n::int ORDER BY n) AS positions FROM log WHERE type = 'ProjectRenamed' AND n % 4 = 0 GROUP BY scope`,
    );
    const deadline = performance.now() + SOON_MS;
    for (;;) {
      const [problem] = this.order.problems;
      if (problem !== undefined) throw new Error(problem);
      const acted = await this.acted('acted');
      const missing = rows.find(({ scope, positions }) => (acted.get(scope)?.length ?? 0) < positions.length);
      if (missing === undefined) break;
      if (performance.now() > deadline)
        throw new Error(
          `of ${missing.scope} ${String(acted.get(missing.scope)?.length ?? 0)} of ${String(missing.positions.length)} effects were made`,
        );
      await sleep(100);
    }
    const statements = [await this.acted('begun'), await this.acted('acted')];
    for (const { scope, positions } of rows)
      for (const made of [this.order.acceptedOf(scope), ...statements.map((of) => of.get(scope) ?? [])]) {
        const wanted = positions.join();
        // Later ones may have been made meanwhile.
        if (made.slice(0, positions.length).join() !== wanted) throw new Error(`the effects of ${scope} are ${made.join()}, not ${wanted}`);
      }
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.receiver.close();
  }

  private async acted(table: 'begun' | 'acted'): Promise<ReadonlyMap<string, readonly number[]>> {
    const text = `SELECT scope, array_agg(position::int ORDER BY id) AS positions FROM ${table} GROUP BY scope`;
    return new Map((await this.pool.query<Renamings>(text)).rows.map(({ scope, positions }) => [scope, positions]));
  }
}

interface Renamings {
  readonly scope: string;
  readonly positions: readonly number[];
}
