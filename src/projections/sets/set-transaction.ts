import type pg from 'pg';
import { inTransaction } from '../../persistence/transaction.ts';
import { HandlerTransaction } from '../authoring/projection-tx.ts';

const STATEMENT_MS = 10_000;

/** One transaction upon the tables of a set projection, and upon no others: a handler that names a table of somebody else by chance finds nothing. */
export function setTransaction<T>(
  db: pg.Pool,
  schema: string,
  work: (tx: HandlerTransaction, client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  return inTransaction(db, async (client) => {
    await client.query(`SET LOCAL search_path = "${schema}"; SET LOCAL statement_timeout = ${String(STATEMENT_MS)}`);
    const tx = new HandlerTransaction(client);
    try {
      return await work(tx, client);
    } finally {
      tx.end();
    }
  });
}
