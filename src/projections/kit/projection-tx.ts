import type pg from 'pg';
import { Counters } from './counters.ts';
import type { ProjectionTx } from './define-projection.ts';

/** One transaction of a set projection, with its own schema as the only one in the path. */
export class OpenTx implements ProjectionTx {
  private readonly counters = new Counters();

  constructor(private readonly client: pg.PoolClient) {}

  /** What was added before is written before, so that the statement sees it. */
  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    await this.flush();
    const { rows } = await this.client.query<Row>(text, [...values]);
    return rows;
  }

  add(...[table, key, amounts]: Parameters<ProjectionTx['add']>): void {
    this.counters.add(table, key, amounts);
  }

  flush(): Promise<void> {
    return this.counters.flush(this.client);
  }

  forget(): void {
    this.counters.drop();
  }
}
