import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Clock } from '../../kernel/clock.ts';
import { MOVE_IS_UNDER_WAY } from '../../platform/observations/observation-claim.ts';
import { acceptanceWindow } from '../../platform/observations/packs/pack-writer.ts';
import type { CheckerFigures } from '../checker-meter.ts';
import { Heartbeats } from '../../platform/postgres/heartbeats.ts';
import { type Lease, LEASE_TIMES, type Leases } from '../../platform/postgres/leases.ts';
import type { PeersAt } from './shard-keeper.ts';

/** Differs from the prefix of a version with another numbering of the shards, as the two do not share a location. */
const PREFIX = 'presence of checker ';
/** The longest time from the start of a measurement until it is stored; a clock counts as slow by so much earlier. */
const MAX_MEASUREMENT_MS = 60_000;

export interface CheckerPresenceOptions {
  readonly pool: Pick<pg.Pool, 'query'>;
  readonly leases: Leases;
  readonly clock: Clock;
  /** That this checker serves. */
  readonly locations: readonly string[];
  /** Observations have a database of their own. */
  readonly storesApart: boolean;
  /** Called on each change: whether checks are suspended because the observations are being moved, or were moved elsewhere. */
  readonly onMoved: (isMoved: boolean) => void;
  /** Called on each change: how far the clock is off, in milliseconds, or null when it is back in sync. */
  readonly onClockError: (offMs: number | null) => void;
}

/** Rows of dead checkers; a minute of grace, because after a crash of the database no checker has a session for a moment. */
const DELETE_DEAD = `
  DELETE FROM lease WHERE name LIKE $1 AND heartbeat < clock_timestamp() - interval '1 minute'
  AND NOT EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = lease.pid AND a.backend_start = lease.backend_start)`;

interface Row {
  readonly now: string;
  /** Null when the observations were never moved; `done` also when the process that moved them died. */
  readonly moved: { readonly done: boolean; readonly apart: boolean } | null;
  readonly name: string | null;
  readonly heartbeat: string | null;
}

/** Group membership of the checkers: each holds a presence lease of its own, named after its locations, and counts those of the others. */
export class CheckerPresence {
  private readonly name: string;
  private lease: Lease | null = null;
  private readonly heartbeats = new Heartbeats();
  private offsetMs: number | null = null;
  private isClockWrong = false;
  private isMoved = false;

  constructor(private readonly options: CheckerPresenceOptions) {
    this.name = `${PREFIX}${randomUUID()} ${options.locations.join(',')}`;
  }

  get clockFigures(): Pick<CheckerFigures, 'clockOffsetMs' | 'isClockWrong'> {
    return { clockOffsetMs: this.offsetMs, isClockWrong: this.isClockWrong };
  }

  /**
   * Answers null while this machine's clock is so wrong that its measurements would be rejected: otherwise it would hold shards without checking them, while
   * checkers with a correct clock stay idle. Answers null, too, while a move of the observations would leave behind what this checker stores.
   */
  async countPeers(): Promise<PeersAt | null> {
    const { pool, leases, clock, onClockError } = this.options;
    const askedAt = clock.now();
    const { rows } = await pool.query<Row>({
      name: 'checker_peers',
      text: `SELECT extract(epoch FROM clock.now) * 1000 AS now, (SELECT json_build_object('done', done OR NOT ${MOVE_IS_UNDER_WAY}, 'apart', moved_to <> '') FROM observations_moved) AS moved, lease.name, lease.heartbeat::text AS heartbeat
        FROM (SELECT clock_timestamp() AS now) AS clock LEFT JOIN lease ON lease.name LIKE $1 AND lease.holder IS NOT NULL
        AND EXISTS (SELECT FROM pg_stat_activity a WHERE a.pid = lease.pid AND a.backend_start = lease.backend_start)`,
      values: [`${PREFIX}%`],
    });
    const answeredAt = clock.now();
    const databaseNow = Number(rows[0]?.now);
    this.offsetMs = (askedAt + answeredAt) / 2 - databaseNow;
    const offMs = clockErrorMs(databaseNow, askedAt, answeredAt);
    if ((offMs !== null) !== this.isClockWrong) onClockError(offMs);
    this.isClockWrong = offMs !== null;
    const moved = rows[0]?.moved ?? null;
    this.suspend(moved !== null && (!moved.done || moved.apart !== this.options.storesApart));
    if (offMs !== null || this.isMoved) {
      await this.lease?.release();
      this.lease = null;
      return null;
    }
    if (this.lease === null || this.lease.signal.aborted) {
      await pool.query(DELETE_DEAD, [`${PREFIX}%`]);
      this.lease = await leases.acquire(this.name);
    }
    this.heartbeats.forgetAllExcept(rows.flatMap(({ name }) => name ?? []));
    const peers = rows.flatMap((row) => (this.isLivePeer(row) ? [locationsOf(row.name)] : []));
    return (location) => 1 + peers.filter((served) => served.includes(location)).length;
  }

  async leave(): Promise<void> {
    await this.lease?.release();
    await this.options.pool.query('DELETE FROM lease WHERE name = $1', [this.name]).catch(() => undefined);
  }

  private suspend(isMoved: boolean): void {
    if (isMoved !== this.isMoved) this.options.onMoved(isMoved);
    this.isMoved = isMoved;
  }

  private isLivePeer(row: Row): row is Row & { readonly name: string } {
    const { name, heartbeat } = row;
    return name !== null && heartbeat !== null && name !== this.name && this.heartbeats.observe(name, heartbeat) < LEASE_TIMES.freeMs;
  }
}

const locationsOf = (name: string): readonly string[] => name.slice(PREFIX.length).split(' ')[1]?.split(',') ?? [];

/** The database read its clock between `askedAt` and `answeredAt`; null if measurements by this clock are accepted. */
export function clockErrorMs(databaseNow: number, askedAt: number, answeredAt: number): number | null {
  if (askedAt > databaseNow + acceptanceWindow.futureMs) return askedAt - databaseNow;
  if (answeredAt < databaseNow - acceptanceWindow.pastMs + MAX_MEASUREMENT_MS) return answeredAt - databaseNow;
  return null;
}
