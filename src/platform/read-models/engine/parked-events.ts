import type pg from 'pg';
import { upcast } from '../../../events.ts';
import { LogDamaged } from '../../event-store/lazy-event.ts';
import type { LogEvent } from '../../../kernel/event.ts';
import { ProjectionStopped } from './checkpoint.ts';

/**
 * A dead letter: the first event of a row or partition that could not be applied. Later events of the same key wait behind it in the log;
 * an operator retries or skips it.
 */
export interface ParkedEvent {
  readonly view: string;
  readonly key: string;
  readonly scope: string;
  readonly n: number;
  readonly eventId: string;
  readonly type: string;
  readonly error: string;
}

export const errorText = (cause: unknown): string =>
  (cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)).slice(0, 2_000);

export const parkedEventOf = (view: string, key: string, { scope, n, id: eventId, type }: LogEvent, cause: unknown): ParkedEvent => ({
  view,
  key,
  scope,
  n,
  eventId,
  type,
  error: errorText(cause),
});

export async function park(db: pg.Pool | pg.PoolClient, schema: string, parked: ParkedEvent): Promise<void> {
  const { view, key, scope, n, eventId, type, error } = parked;
  await db.query(
    `INSERT INTO public.projection_parked AS p (schema, view, key, scope, n, event_id, type, error) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (schema, view, key) DO UPDATE SET n = excluded.n, event_id = excluded.event_id, type = excluded.type,
       error = excluded.error, attempts = p.attempts + 1, retry = false`,
    [schema, view, key, scope, n, eventId, type, error],
  );
}

/** Calls a function, because the role of a team may not delete: with that right it could lock the whole table. */
export async function unpark(db: pg.Pool | pg.PoolClient, schema: string, view: string, key: string): Promise<void> {
  await db.query('SELECT public.unpark($1, $2, $3)', [schema, view, key]);
}

export type RequestedRetry = Pick<ParkedEvent, 'view' | 'key' | 'scope' | 'n'>;

/** The parked events that an operator asked to retry. */
export async function requestedRetries(db: pg.Pool, schema: string): Promise<readonly RequestedRetry[]> {
  const { rows } = await db.query<Omit<RequestedRetry, 'n'> & { n: string }>({
    name: 'projection_retries',
    text: 'SELECT view, key, scope, n FROM projection_parked WHERE schema = $1 AND retry',
    values: [schema],
  });
  return rows.map((row) => ({ ...row, n: Number(row.n) }));
}

const UNREADABLE = 'unreadable ';

/** An event whose row or partition cannot be determined stops the projection: any later event might depend on it. */
export class UnreadableEvent extends ProjectionStopped {
  override readonly name = 'UnreadableEvent';

  constructor(
    readonly event: LogEvent,
    override readonly cause: unknown,
  ) {
    super(`${event.type} at ${String(event.n)} (${event.id}) cannot be read: ${errorText(cause)}`);
  }

  /** Listed among the parked events, so that an operator can skip it; its key is not that of any row. */
  parkedIn(view: string): ParkedEvent {
    return parkedEventOf(view, `${UNREADABLE}${this.event.id}`, this.event, this.cause);
  }
}

/** A damaged log is the operator's to mend, and no property of the event. */
export const unreadableUnlessDamaged = (event: LogEvent, cause: unknown): Error =>
  cause instanceof LogDamaged ? cause : new UnreadableEvent(event, cause);

export async function forgetUnreadable(db: pg.Pool, schema: string): Promise<void> {
  await db.query('SELECT unpark(schema, view, key) FROM projection_parked WHERE schema = $1 AND starts_with(key, $2)', [
    schema,
    UNREADABLE,
  ]);
}

/** The event in today's shape. */
export function readable(event: LogEvent): LogEvent {
  try {
    return upcast(event);
  } catch (cause) {
    throw unreadableUnlessDamaged(event, cause);
  }
}
