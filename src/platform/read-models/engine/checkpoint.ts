import type pg from 'pg';
import type { LogEvent } from '../../../kernel/event.ts';
import type { LogReader } from '../../log/log.ts';

/** The last event that the tables of a schema contain. */
export interface Checkpoint {
  readonly n: number;
  readonly eventId: string | null;
}

export const BEGINNING: Checkpoint = { n: -1, eventId: null };

/** A failure that no retry cures: the projection is marked as failed until an operator or its author acts. */
export abstract class ProjectionStopped extends Error {}

/** The log is not the one that the tables were filled from. */
export class CheckpointMismatch extends ProjectionStopped {
  override readonly name = 'CheckpointMismatch';
}

/** Optimistic concurrency: another runner moved the checkpoint, so this one has to begin again from the tables. */
export class CheckpointMoved extends Error {
  override readonly name = 'CheckpointMoved';

  constructor(schema: string, n: number) {
    super(`${schema} is no longer at ${String(n)}`);
  }
}

export interface SchemaState {
  readonly checkpoint: Checkpoint;
  readonly state: 'building' | 'live' | 'failed';
  readonly paused: boolean;
  readonly rebuild: boolean;
}

interface SchemaRow extends Omit<SchemaState, 'checkpoint'> {
  readonly n: string;
  readonly event_id: string | null;
}

export async function readSchemaState(db: pg.Pool | pg.PoolClient, schema: string): Promise<SchemaState | null> {
  const { rows } = await db.query<SchemaRow>({
    name: 'projection_state',
    text: 'SELECT n, event_id, state, paused, rebuild FROM projection WHERE schema = $1',
    values: [schema],
  });
  const row = rows[0];
  if (row === undefined) return null;
  const { state, paused, rebuild } = row;
  return { checkpoint: { n: Number(row.n), eventId: row.event_id }, state, paused, rebuild };
}

/** The checkpoint of a schema, after a check that the log still holds its event. */
export async function readCheckpoint(db: pg.Pool, log: LogReader, schema: string): Promise<Checkpoint> {
  const state = await readSchemaState(db, schema);
  if (state === null) throw new Error(`the schema ${schema} does not exist`);
  const { checkpoint } = state;
  if (checkpoint.n < 0) return checkpoint;
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
  return checkpoint;
}

/** The checkpoint after a page that begins right after `from`; null when the page is empty. Positions have no gaps. */
export function checkpointAfter(page: readonly LogEvent[], from: number): Checkpoint | null {
  const last = page.at(-1);
  if (last === undefined) return null;
  if (page[0]?.n !== from + 1 || last.n !== from + page.length)
    throw new CheckpointMismatch(`the log has a gap between ${String(from)} and ${String(last.n)}`);
  return { n: last.n, eventId: last.id };
}

/** Compare-and-set: moves the checkpoint only from where this runner left it. */
export async function moveCheckpoint(db: pg.PoolClient, schema: string, from: Checkpoint, to: Checkpoint): Promise<void> {
  const { rowCount } = await db.query({
    name: 'projection_move',
    text: 'UPDATE public.projection SET n = $2, event_id = $3, moved_at = now() WHERE schema = $1 AND n = $4 AND event_id IS NOT DISTINCT FROM $5',
    values: [schema, to.n, to.eventId, from.n, from.eventId],
  });
  if (rowCount !== 1) throw new CheckpointMoved(schema, from.n);
}
