import type pg from 'pg';
import { Counters } from './counters.ts';
import type { ProjectionTx } from './define-projection.ts';

/** One transaction of a set projection, with its own schema as the only one in the path. */
export class OpenTx implements ProjectionTx {
  private readonly counters = new Counters();
  private readonly pending = new Set<Promise<unknown>>();
  private isOver = false;

  constructor(private readonly client: pg.PoolClient) {}

  /** What was added before is written before, so that the statement sees it. A handler that does not wait for it is waited for all the same. */
  query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const running = this.send<Row>(text, values);
    this.pending.add(running);
    // Nobody else may be there to hear of a failure: without this, one statement of one team would end the process.
    running.catch(() => undefined);
    return running;
  }

  add(...[table, key, amounts]: Parameters<ProjectionTx['add']>): void {
    if (this.isOver) throw new TransactionOver();
    this.counters.add(table, key, amounts);
  }

  async flush(): Promise<void> {
    for (const running of this.pending) {
      this.pending.delete(running);
      await running;
    }
    await this.counters.flush(this.client);
  }

  /** Of counters, not written yet. */
  get rowsInHand(): number {
    return this.counters.size;
  }

  forget(): void {
    this.counters.drop();
    this.pending.clear();
  }

  /** Whatever a handler left running would end in somebody else's transaction. */
  end(): void {
    this.isOver = true;
  }

  private async send<Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    await this.counters.flush(this.client);
    if (this.isOver) throw new TransactionOver();
    const { rows } = await this.client.query<Row>(text, [...values]);
    return rows;
  }
}

class TransactionOver extends Error {
  constructor() {
    super('the transaction of this event is over: a handler has to await or return what it starts');
  }
}
