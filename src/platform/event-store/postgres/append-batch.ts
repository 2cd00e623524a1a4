import pg from 'pg';
import { isTransientDatabaseError } from '../../postgres/transient-database-error.ts';
import type { AppendResult, ExpectedRevision } from '../event-store.ts';
import type { SerialisedEvent } from '../limits.ts';
import { microsecondsLater, type RecentAppends } from './recent-appends.ts';

/** An append whose outcome is not known yet. */
export class PendingAppend {
  readonly answer: Promise<AppendResult>;
  readonly bytes: number;
  /** The expected revision, -1 for 'no stream'. */
  readonly revision: number;
  private resolve: (result: AppendResult) => void = () => undefined;
  private reject: (error: unknown) => void = () => undefined;
  private settled = false;

  constructor(
    readonly stream: string,
    expected: ExpectedRevision,
    readonly events: readonly SerialisedEvent[],
    /** By `performance.now()`: until then an unknown outcome is retried. */
    readonly deadline: number,
    /** Once it aborts, the append is in no further attempt. */
    readonly signal?: AbortSignal,
  ) {
    this.revision = expected === 'no stream' ? -1 : expected;
    this.bytes = events.reduce((sum, event) => sum + event.bytes, 0);
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  get isAborted(): boolean {
    return this.signal?.aborted === true;
  }

  get isSettled(): boolean {
    return this.settled;
  }

  /** `n` is the log position of the last event. */
  appended(n: number | string): void {
    this.settled = true;
    this.resolve({ kind: 'appended', revision: this.revision + this.events.length, place: { position: String(n) } });
  }

  conflict(actual: number): void {
    this.settled = true;
    this.resolve({ kind: 'conflict', actual: actual === -1 ? 'no stream' : actual });
  }

  fail(error: unknown): void {
    this.settled = true;
    this.reject(error);
  }
}

/** As the log shows it to readers. */
const MOMENT = `to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS moment`;

const APPEND = {
  name: 'append_events',
  text: `SELECT head, actual, repeated, ${MOMENT} FROM append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
};

const APPEND_ONE = { name: 'append_one', text: `SELECT n, ${MOMENT} FROM append_one($1, $2, $3, $4, $5, $6, $7, $8)` };

/**
 * A commit of a few bytes waits for the synchronous standbys, and so for every commit before it. Events of an earlier attempt are found, not written: they
 * may be committed here and confirmed by no standby, when the server was restarted or the wait was cancelled.
 */
const WAIT_FOR_STANDBYS = { name: 'wait_for_standbys', text: `SELECT pg_logical_emit_message(true, 'watchledger', '')` };

/** `actual` and `repeated` are null unless a stream was not at its expected revision. */
interface Answer {
  readonly head: string;
  readonly actual: readonly string[] | null;
  readonly repeated: readonly (string | null)[] | null;
  readonly moment: string;
}

/** Sends a batch in one statement and settles each of its appends. Rejects when the outcome is unknown: appends not settled may be sent again. */
export async function appendBatch(pool: pg.Pool, batch: readonly PendingAppend[], recent: RecentAppends): Promise<void> {
  try {
    if (await tryAppendOne(pool, batch, recent)) return;
    const { rows } = await pool.query<Answer>({ ...APPEND, values: parameters(batch) });
    const answer = rows[0];
    if (answer === undefined) throw new Error('append_events answered nothing');
    if (answer.repeated?.some((n) => n !== null) === true) await pool.query(WAIT_FOR_STANDBYS);
    settle(batch, answer, recent);
  } catch (error) {
    if (isOutcomeUnknown(error)) throw error;
    // The database refused one append and so the whole statement: send each by itself, so that only that one fails.
    if (batch.length > 1) for (const append of batch) await appendBatch(pool, [append], recent);
    else batch[0]?.fail(error);
  }
}

/** The fast path for one append of one event; false for any other batch, and when its stream is not at the expected revision. */
async function tryAppendOne(pool: pg.Pool, batch: readonly PendingAppend[], recent: RecentAppends): Promise<boolean> {
  const [append] = batch;
  const [first] = append?.events ?? [];
  if (append === undefined || first === undefined || batch.length > 1 || append.events.length > 1) return false;
  const { event, data, meta } = first;
  const values = [append.stream, append.revision, event.id, event.type, event.version, event.scope, data, meta];
  const { rows } = await pool.query<{ n: string | null; moment: string }>({ ...APPEND_ONE, values });
  const [row] = rows;
  if (row === undefined || row.n === null) return false;
  written(append, Number(row.n), row.moment, recent);
  return true;
}

/**
 * Array literals are built here because names hold neither quotes nor backslashes and need no escaping. JSON text holds no line break, and lines are
 * cheaper to split than an array with escapes.
 */
function parameters(batch: readonly PendingAppend[]): unknown[] {
  const appendNumbers: number[] = [];
  const revisions: number[] = [];
  const [ids, types, versions, scopes]: [string[], string[], number[], string[]] = [[], [], [], []];
  const [datas, metas]: [string[], string[]] = [[], []];
  for (const [index, { revision, events }] of batch.entries()) {
    for (const [step, { event, data, meta }] of events.entries()) {
      appendNumbers.push(index + 1);
      revisions.push(revision + 1 + step);
      ids.push(event.id);
      types.push(event.type);
      versions.push(event.version);
      scopes.push(event.scope);
      datas.push(data);
      metas.push(meta);
    }
  }
  return [
    texts(batch.map(({ stream }) => stream)),
    numbers(batch.map(({ revision }) => revision)),
    numbers(batch.map(({ events }) => events.length)),
    numbers(appendNumbers),
    numbers(revisions),
    numbers(ids),
    texts(types),
    numbers(versions),
    texts(scopes),
    datas.join('\n'),
    metas.join('\n'),
  ];
}

const texts = (values: readonly string[]): string => `{"${values.join('","')}"}`;
const numbers = (values: readonly (number | string)[]): string => `{${values.join(',')}}`;

function settle(batch: readonly PendingAppend[], { head, actual, repeated, moment }: Answer, recent: RecentAppends): void {
  const first = Number(head) + 1;
  let n = first;
  for (const [index, append] of batch.entries()) {
    const found = actual === null ? append.revision : Number(actual[index]);
    const repeatedAt = repeated?.[index] ?? null;
    if (found === append.revision) {
      written(append, n, microsecondsLater(moment, n - first), recent);
      n += append.events.length;
    } else if (repeatedAt !== null) append.appended(repeatedAt);
    else append.conflict(found);
  }
}

/** `n`: of its first event. */
function written(append: PendingAppend, n: number, recordedAt: string, recent: RecentAppends): void {
  const { stream, revision, events } = append;
  recent.add({ stream, revision: revision + 1, n, recordedAt, events });
  append.appended(n + events.length - 1);
}

/** A lost connection, a transient error or a statement timeout leave the outcome open; any other error of the database is final. */
function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return true;
  return isTransientDatabaseError(error) || error.code.startsWith('57');
}
