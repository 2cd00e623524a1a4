import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { type Lease, LEASE_TIMES, type Leases } from '../../base/leases.ts';
import { LifeSigns } from '../../base/life-signs.ts';

const PREFIX = 'presence checker ';

/** Says that this checker is there, and counts those that say so: a lease that each holds for itself. */
export class Peers {
  private readonly name = `${PREFIX}${randomUUID()}`;
  private lease: Lease | null = null;
  private readonly signs = new LifeSigns();

  constructor(
    private readonly pool: pg.Pool,
    private readonly leases: Leases,
  ) {}

  async count(): Promise<number> {
    if (this.lease === null || this.lease.signal.aborted) this.lease = await this.leases.acquire(this.name);
    const { rows } = await this.pool.query<{ name: string; sign: string }>({
      name: 'checker_peers',
      text: `SELECT name, heartbeat::text AS sign FROM lease WHERE name LIKE $1 AND holder IS NOT NULL
        AND EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = lease.pid AND a.backend_start = lease.backend_start)`,
      values: [`${PREFIX}%`],
    });
    return Math.max(1, rows.filter(({ name, sign }) => this.signs.saw(name, sign) < LEASE_TIMES.freeMs).length);
  }

  async leave(): Promise<void> {
    await this.lease?.release();
    await this.pool.query('DELETE FROM lease WHERE name = $1', [this.name]).catch(() => undefined);
  }
}
