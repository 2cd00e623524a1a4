import type pg from 'pg';

/** Injection token, and what a team's controllers read their tables with. */
export abstract class ProjectionTables {
  /** Under the names that stay, whatever version is shown: `SELECT … FROM p_<projection>.<table>`. Reads only, within five seconds. */
  abstract query<Row extends object = Record<string, unknown>>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
}

/** Over a small pool of its own: what a team reads takes no connection from the API. */
export class PooledTables extends ProjectionTables {
  constructor(private readonly pool: pg.Pool) {
    super();
    // Queued before the first query of the connection.
    pool.on('connect', (client) => void client.query('SET default_transaction_read_only = on').catch(() => undefined));
  }

  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const { rows } = await this.pool.query<Row>(text, [...values]);
    return rows;
  }
}
