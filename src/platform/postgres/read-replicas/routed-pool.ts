import type pg from 'pg';
import { type AnsweringReplica, currentReplica } from './current-replica.ts';

type Query = (...given: unknown[]) => Promise<unknown>;

/** Statements of work that a replica answers go there, everything else to the primary, as do transactions. */
export function routedPool(primary: pg.Pool): pg.Pool {
  const query: Query = (...given) => {
    const replica = currentReplica();
    return replica === null ? queryOf(primary)(...given) : repeatedOn(primary, replica, given);
  };
  return withOwn(primary, { query, connect: primary.connect.bind(primary) });
}

/** Everything goes to this replica, transactions, too. */
export function replicaPool(replica: AnsweringReplica, primary: pg.Pool): pg.Pool {
  const { pool } = replica;
  const query: Query = (...given) => (replica.isUsed ? repeatedOn(primary, replica, given) : queryOf(primary)(...given));
  return withOwn(pool, { query, connect: pool.connect.bind(pool) });
}

const queryOf = (pool: pg.Pool): Query => pool.query.bind(pool);

/** A statement that the replica refuses, or does not answer, is repeated on the primary: what that answers counts, an error as well. */
async function repeatedOn(primary: pg.Pool, replica: AnsweringReplica, given: unknown[]): Promise<unknown> {
  try {
    return await queryOf(replica.pool)(...given);
  } catch {
    replica.repeated();
    return queryOf(primary)(...given);
  }
}

/** Cast: everything else is inherited from the pool. */
const withOwn = (pool: pg.Pool, own: { readonly query: Query; readonly connect: unknown }): pg.Pool =>
  Object.assign(Object.create(pool) as pg.Pool, own);
