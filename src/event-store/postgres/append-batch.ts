import pg from 'pg';
import { isTransientDatabaseError } from '../../persistence/transient-database-error.ts';
import type { PendingAppend } from './pending-append.ts';

const APPEND = {
  name: 'append_events',
  text: `SELECT head, actual, repeated FROM append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
};

const APPEND_ONE = { name: 'append_one', text: `SELECT append_one($1, $2, $3, $4, $5, $6, $7, $8) AS n` };

/** `actual` and `repeated` only where a stream stood elsewhere than expected. */
interface Answer {
  readonly head: string;
  readonly actual: readonly string[] | null;
  readonly repeated: readonly (string | null)[] | null;
}

/** Sends a batch and settles each append of it. Rejects when nobody knows what became of it: then what is not settled may be sent again. */
export async function appendBatch(pool: pg.Pool, batch: readonly PendingAppend[]): Promise<void> {
  try {
    if (await appendedAlone(pool, batch)) return;
    const { rows } = await pool.query<Answer>({ ...APPEND, values: parameters(batch) });
    const answer = rows[0];
    if (answer === undefined) throw new Error('append_events answered nothing');
    settle(batch, answer);
  } catch (error) {
    if (isUnknown(error)) throw error;
    // The database refused one of them, and with it all: each alone, so that it spoils only itself.
    if (batch.length > 1) for (const append of batch) await appendBatch(pool, [append]);
    else batch[0]?.fail(error);
  }
}

/** The short way of the most common append. False when it is not that, or when its stream stands elsewhere than expected. */
async function appendedAlone(pool: pg.Pool, batch: readonly PendingAppend[]): Promise<boolean> {
  const [append] = batch;
  const [first] = append?.events ?? [];
  if (append === undefined || first === undefined || batch.length > 1 || append.events.length > 1) return false;
  const { event, data, meta } = first;
  const values = [append.stream, append.revision, event.id, event.type, event.version, event.scope, data, meta];
  const { rows } = await pool.query<{ n: string | null }>({ ...APPEND_ONE, values });
  const n = rows[0]?.n ?? null;
  if (n !== null) append.appended(n);
  return n !== null;
}

/**
 * Arrays as the database writes them, put together here: names hold neither quotes nor backslashes, so that nothing needs an escape.
 * JSON text holds no line break, and lines are cheaper to take apart than an array with its escapes.
 */
function parameters(batch: readonly PendingAppend[]): unknown[] {
  const owners: number[] = [];
  const revisions: number[] = [];
  const [ids, types, versions, scopes]: [string[], string[], number[], string[]] = [[], [], [], []];
  const [datas, metas]: [string[], string[]] = [[], []];
  for (const [index, { revision, events }] of batch.entries()) {
    for (const [step, { event, data, meta }] of events.entries()) {
      owners.push(index + 1);
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
    numbers(owners),
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

function settle(batch: readonly PendingAppend[], { head, actual, repeated }: Answer): void {
  let n = Number(head);
  for (const [index, append] of batch.entries()) {
    const found = actual === null ? append.revision : Number(actual[index]);
    const already = repeated?.[index] ?? null;
    if (found === append.revision) append.appended((n += append.events.length));
    else if (already !== null) append.appended(already);
    else append.conflict(found);
  }
}

/** What the database itself says may go well another time, as may a statement that took too long. Of what it did not say, nobody knows the outcome. All else is its verdict. */
function isUnknown(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError) || error.code === undefined) return true;
  return isTransientDatabaseError(error) || error.code.startsWith('57');
}
