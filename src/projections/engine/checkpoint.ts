import type pg from 'pg';
import type { Log } from '../../log/log.ts';

/** How far a schema has come: the last event that its rows contain, by position and by id. */
export interface Checkpoint {
  readonly n: number;
  readonly eventId: string | null;
}

export const BEGINNING: Checkpoint = { n: -1, eventId: null };

/** The log is not the one that the rows were folded from. Nothing may be folded on top of it. */
export class CheckpointMismatch extends Error {
  override readonly name = 'CheckpointMismatch';
}

/** Somebody else moved the checkpoint: this runner's rows are out of date and it has to begin again from the table. */
export class CheckpointMoved extends Error {
  override readonly name = 'CheckpointMoved';
}

export async function verifyCheckpoint(log: Log, schema: string, checkpoint: Checkpoint): Promise<void> {
  if (checkpoint.n < 0) return;
  const [event] = await log.read({ after: checkpoint.n - 1, until: checkpoint.n, limit: 1 });
  if (event === undefined) {
    const head = await log.head();
    throw new CheckpointMismatch(
      `${schema} stands at ${String(checkpoint.n)}, but the log ends at ${String(head)}: it is shorter than what was read from it. Rebuild the projection after a restore`,
    );
  }
  if (event.id !== checkpoint.eventId) {
    throw new CheckpointMismatch(
      `${schema} stands at ${String(checkpoint.n)} on event ${String(checkpoint.eventId)}, but the log holds ${event.id} there: it is another log. Rebuild the projection`,
    );
  }
}

export interface SchemaState {
  readonly checkpoint: Checkpoint;
  /** It was filled once: a failure of it is not one of the filling. */
  readonly wasLive: boolean;
  readonly state: 'building' | 'live' | 'failed';
  readonly paused: boolean;
  readonly rebuild: boolean;
}

interface SchemaRow {
  n: string;
  event_id: string | null;
  state: SchemaState['state'];
  paused: boolean;
  rebuild: boolean;
  was_live: boolean;
}

export async function readState(db: pg.Pool | pg.PoolClient, schema: string): Promise<SchemaState | null> {
  const { rows } = await db.query<SchemaRow>({
    name: 'projection_state',
    text: 'SELECT n, event_id, state, paused, rebuild, live_at IS NOT NULL AS was_live FROM projection WHERE schema = $1',
    values: [schema],
  });
  const row = rows[0];
  if (row === undefined) return null;
  const { state, paused, rebuild, was_live: wasLive } = row;
  return { checkpoint: { n: Number(row.n), eventId: row.event_id }, state, paused, rebuild, wasLive };
}

/** Moves the checkpoint from the very place where this runner left it, or not at all. */
export async function moveCheckpoint(db: pg.PoolClient, schema: string, from: Checkpoint, to: Checkpoint): Promise<void> {
  const { rowCount } = await db.query({
    name: 'projection_move',
    text: 'UPDATE public.projection SET n = $2, event_id = $3, moved_at = now() WHERE schema = $1 AND n = $4 AND event_id IS NOT DISTINCT FROM $5',
    values: [schema, to.n, to.eventId, from.n, from.eventId],
  });
  if (rowCount !== 1) throw new CheckpointMoved(`${schema} is no longer at ${String(from.n)}`);
}

/** A crash may have taken the last commits of a schema, a failover those of the whole database: then a runner is ahead of its tables, and nothing tells it while nothing new comes. */
export function assertAtCheckpoint(schema: string, runner: Checkpoint, table: Checkpoint): void {
  if (runner.n !== table.n || runner.eventId !== table.eventId) throw new CheckpointMoved(`${schema} is no longer at ${String(runner.n)}`);
}

/** Told to operators, and to every instance: nothing is read as current from a projection that failed. */
export async function markFailed(db: pg.Pool, schema: string, error: string): Promise<void> {
  await db.query(`UPDATE projection SET state = 'failed', error = $2 WHERE schema = $1`, [schema, error]);
}

/** What failed is looked at again: the log may have been filled again, the event voided. */
export async function markRunning(db: pg.Pool, schema: string): Promise<void> {
  await db.query(
    `UPDATE projection SET error = NULL, state = CASE WHEN live_at IS NULL THEN 'building' ELSE 'live' END WHERE schema = $1 AND state = 'failed'`,
    [schema],
  );
}
