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
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
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
}

export async function readState(db: pg.Pool | pg.PoolClient, schema: string): Promise<SchemaState | null> {
  const { rows } = await db.query<SchemaRow>({
    name: 'projection_state',
    text: 'SELECT n, event_id, state, paused, rebuild FROM projection WHERE schema = $1',
    values: [schema],
  });
  const row = rows[0];
  if (row === undefined) return null;
  return { checkpoint: { n: Number(row.n), eventId: row.event_id }, state: row.state, paused: row.paused, rebuild: row.rebuild };
}

/** Moves the checkpoint from the very place where this runner left it, or not at all. */
export async function moveCheckpoint(db: pg.PoolClient, schema: string, from: Checkpoint, to: Checkpoint): Promise<void> {
  const { rowCount } = await db.query({
    name: 'projection_move',
    text: 'UPDATE projection SET n = $2, event_id = $3 WHERE schema = $1 AND n = $4 AND event_id IS NOT DISTINCT FROM $5',
    values: [schema, to.n, to.eventId, from.n, from.eventId],
  });
  if (rowCount !== 1) throw new Overtaken(`${schema} is no longer at ${String(from.n)}`);
}
