import type pg from 'pg';
import { openPool } from '../../../platform/postgres/pool.ts';
import { inTransaction } from '../../../platform/postgres/transaction.ts';
import type { SqlResult } from '../../reactors/effects.ts';

const CONNECTIONS = 2;
const STATEMENT_MS = 10_000;
/** What was done is not forgotten: an operator may have a partition retried much later. */
const NOTED = `CREATE TABLE IF NOT EXISTS watchledger_effect (id uuid PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())`;

/** Databases of teams, by address. */
export class OtherDatabases {
  private readonly pools = new Map<string, pg.Pool>();
  private readonly prepared = new WeakMap<pg.Pool, Promise<unknown>>();

  /** An inbox in the other database: the statement runs in the transaction that notes its id, unless it is noted already. */
  async once<Row extends object>(address: string, id: string, text: string, values: readonly unknown[]): Promise<SqlResult<Row>> {
    const pool = this.pools.get(address) ?? openPool(address, { name: 'reactor', max: CONNECTIONS, statementTimeoutMs: STATEMENT_MS });
    this.pools.set(address, pool);
    const preparing = this.prepared.get(pool) ?? pool.query(NOTED);
    this.prepared.set(pool, preparing);
    await preparing.catch((error: unknown) => {
      this.prepared.delete(pool);
      throw error;
    });
    return inTransaction(pool, async (client) => {
      const { rowCount } = await client.query('INSERT INTO watchledger_effect (id) VALUES ($1) ON CONFLICT DO NOTHING', [id]);
      if (rowCount === 0) return { rows: [], isFirst: false };
      const { rows } = await client.query<Row>(text, [...values]);
      return { rows, isFirst: true };
    });
  }
}
