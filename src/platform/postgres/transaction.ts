import type pg from 'pg';

/**
 * In the output of a statement that changes something: its commit waits neither for the disk nor for a standby. The write-ahead log is flushed in order,
 * so the next commit of the same database that does wait makes it durable as well; a crash before that loses both.
 */
export const WITHOUT_FLUSH = `set_config('synchronous_commit', 'off', true)`;

class RolledBack<Result> extends Error {
  constructor(readonly result: Result) {
    super('rolled back on purpose');
  }
}

/** Nothing of what it writes stays. */
export async function inRolledBackTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
  mode = '',
): Promise<Result> {
  try {
    return await inTransaction<never>(
      pool,
      async (client) => {
        throw new RolledBack(await work(client));
      },
      mode,
    );
  } catch (error) {
    // Cast: thrown above.
    if (error instanceof RolledBack) return error.result as Result;
    throw error;
  }
}

/** `mode` follows `BEGIN`. A connection that cannot be rolled back is not returned to the pool. */
export async function inTransaction<Result>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<Result>, mode = ''): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(`BEGIN ${mode}`);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((reason: unknown) => {
      broken = reason instanceof Error ? reason : new Error(String(reason));
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
