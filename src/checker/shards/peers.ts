import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Lease, Leases } from '../../base/leases.ts';

const PREFIX = 'presence checker ';

/** Says that this checker is there, and counts those that say so: a lease that each holds for itself. */
export class Peers {
  private readonly name = `${PREFIX}${randomUUID()}`;
  private lease: Lease | null = null;

  constructor(
    private readonly pool: pg.Pool,
    private readonly leases: Leases,
  ) {}

  async count(): Promise<number> {
    if (this.lease === null || this.lease.signal.aborted) this.lease = await this.leases.acquire(this.name);
    const { rows } = await this.pool.query<{ peers: string }>({
      name: 'checker_peers',
      text: `SELECT count(*) AS peers FROM lease WHERE name LIKE $1 AND holder IS NOT NULL AND heartbeat > clock_timestamp() - interval '10 seconds'
        AND EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = lease.pid AND a.backend_start = lease.backend_start)`,
      values: [`${PREFIX}%`],
    });
    return Math.max(1, Number(rows[0]?.peers ?? 1));
  }

  async leave(): Promise<void> {
    await this.lease?.release();
    await this.pool.query('DELETE FROM lease WHERE name = $1', [this.name]).catch(() => undefined);
  }
}
