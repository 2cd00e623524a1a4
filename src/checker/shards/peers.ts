import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { type Lease, LEASE_TIMES, type Leases } from '../../persistence/leases.ts';
import { Heartbeats } from '../../persistence/heartbeats.ts';
import type { Clock } from '../../kernel/clock.ts';
import { acceptanceWindow } from '../../observations/packs/pack-writer.ts';

const PREFIX = 'presence checker ';
/** From the beginning of a look until what it saw is written: so much sooner a clock counts as behind. */
const LONGEST_LOOK_MS = 60_000;

export interface PeersParts {
  readonly pool: Pick<pg.Pool, 'query'>;
  readonly leases: Leases;
  readonly clock: Clock;
  /** How far the clock is off, in milliseconds; null: it is right again. Told at each change. */
  readonly onClock: (offMs: number | null) => void;
}

/** Of checkers that died; a minute, because after a crash of the database nobody stands behind any of them for a moment. */
const CLEAR_AWAY = `
  DELETE FROM lease WHERE name LIKE $1 AND heartbeat < clock_timestamp() - interval '1 minute'
  AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = lease.pid AND a.backend_start = lease.backend_start)`;

interface Row {
  readonly now: string;
  readonly name: string | null;
  readonly sign: string | null;
}

/** Says that this checker is there, and counts those that say so: a lease that each holds for itself. */
export class Peers {
  private readonly name = `${PREFIX}${randomUUID()}`;
  private lease: Lease | null = null;
  private readonly heartbeats = new Heartbeats();
  private isOff = false;

  constructor(private readonly parts: PeersParts) {}

  /**
   * Null while this machine's clock is so wrong that nothing it measures would be accepted: it would hold shards and look for nothing, while others
   * whose clocks are right stand by.
   */
  async count(): Promise<number | null> {
    const { pool, leases, clock } = this.parts;
    const asked = clock.now();
    const { rows } = await pool.query<Row>({
      name: 'checker_peers',
      text: `SELECT extract(epoch FROM clock.now) * 1000 AS now, lease.name, lease.heartbeat::text AS sign
        FROM (SELECT clock_timestamp() AS now) AS clock LEFT JOIN lease ON lease.name LIKE $1 AND lease.holder IS NOT NULL
        AND EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = lease.pid AND a.backend_start = lease.backend_start)`,
      values: [`${PREFIX}%`],
    });
    const off = offBy(Number(rows[0]?.now), asked, clock.now());
    if ((off !== null) !== this.isOff) this.parts.onClock(off);
    this.isOff = off !== null;
    if (off !== null) {
      await this.lease?.release();
      this.lease = null;
      return null;
    }
    if (this.lease === null || this.lease.signal.aborted) {
      await pool.query(CLEAR_AWAY, [`${PREFIX}%`]);
      this.lease = await leases.acquire(this.name);
    }
    this.heartbeats.forgetAllExcept(rows.flatMap(({ name }) => name ?? []));
    return 1 + rows.filter((row) => this.isAnother(row)).length;
  }

  async leave(): Promise<void> {
    await this.lease?.release();
    await this.parts.pool.query('DELETE FROM lease WHERE name = $1', [this.name]).catch(() => undefined);
  }

  private isAnother({ name, sign }: Row): boolean {
    return name !== null && sign !== null && name !== this.name && this.heartbeats.observe(name, sign) < LEASE_TIMES.freeMs;
  }
}

/** The database looked at its clock some time between the two; null: what is measured by this clock is believed. */
export function offBy(database: number, asked: number, answered: number): number | null {
  if (asked > database + acceptanceWindow.futureMs) return asked - database;
  if (answered < database - acceptanceWindow.pastMs + LONGEST_LOOK_MS) return answered - database;
  return null;
}
