import type pg from 'pg';
import { openPool, type PoolOptions } from '../../platform/postgres/pool.ts';
import type { TeamAccess } from '../calls.ts';
import { TEAM_ROLE_LIMITS } from '../team-limits.ts';

/** The database connections of the process of a package. */
export class WorkerPools {
  private readonly pools: pg.Pool[] = [];
  private readonly clients = new Set<pg.PoolClient>();

  /** Views lift the limit of statements for a fill. */
  open({ url, login }: TeamAccess, options: PoolOptions): pg.Pool {
    const pool = openPool(url, {
      synchronousCommit: false,
      statementTimeoutMs: TEAM_ROLE_LIMITS.statementSeconds * 1_000,
      hasLongStatements: true,
      ...options,
      ...(login !== null && { login }),
    });
    pool.on('connect', (client) => this.clients.add(client));
    pool.on('remove', (client) => this.clients.delete(client));
    this.pools.push(pool);
    return pool;
  }

  async end(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.end()));
  }

  /** The statements under way fail as with a lost connection. */
  drop(): void {
    for (const client of this.clients) socketOf(client)?.destroy();
  }
}

/** Cast: the typings of the driver lack its connection. */
const socketOf = (client: pg.PoolClient): { destroy(): void } | undefined =>
  (client as { readonly connection?: { readonly stream?: { destroy(): void } } }).connection?.stream;
