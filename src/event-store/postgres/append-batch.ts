import pg from 'pg';
import type { AppendResult } from '../event-store.ts';
import type { PendingAppend } from './batch-queue.ts';

const APPEND = {
  name: 'append_events',
  text: `SELECT head, actual, repeated FROM append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
};

const APPEND_ONE = { name: 'append_one', text: `SELECT append_one($1, $2, $3, $4, $5, $6, $7, $8) AS n` };

interface Answer {
  readonly head: string;
  readonly actual: readonly string[];
  readonly repeated: readonly (string | null)[] | null;
}

/** Sends a batch and settles each append of it. Rejects when nobody knows what became of it: then the same batch may be sent again. */
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
  const expected = revisionOf(append);
  const values = [append.stream, expected, event.id, event.type, event.version, event.scope, data, meta];
  const { rows } = await pool.query<{ n: string | null }>({ ...APPEND_ONE, values });
  const position = rows[0]?.n ?? null;
  if (position !== null) append.settle({ kind: 'appended', revision: expected + 1, place: { position } });
  return position !== null;
}

const revisionOf = ({ expected }: PendingAppend): number => (expected === 'no stream' ? -1 : expected);

function parameters(batch: readonly PendingAppend[]): unknown[] {
  const events = batch.flatMap((append, index) =>
    append.events.map((event, step) => ({ ...event, owner: index + 1, revision: revisionOf(append) + 1 + step })),
  );
  return [
    batch.map(({ stream }) => stream),
    batch.map(revisionOf),
    batch.map((append) => append.events.length),
    events.map(({ owner }) => owner),
    events.map(({ revision }) => revision),
    events.map(({ event }) => event.id),
    events.map(({ event }) => event.type),
    events.map(({ event }) => event.version),
    events.map(({ event }) => event.scope),
    // JSON text holds no line break: lines are cheaper to send and to take apart than an array with its escapes.
    events.map(({ data }) => data).join('\n'),
    events.map(({ meta }) => meta).join('\n'),
  ];
}

function settle(batch: readonly PendingAppend[], { head, actual, repeated }: Answer): void {
  let n = Number(head);
  for (const [index, append] of batch.entries()) {
    append.settle(answerOf(append, Number(actual[index]), repeated?.[index] ?? null));
  }

  function answerOf(append: PendingAppend, found: number, already: string | null): AppendResult {
    const expected = revisionOf(append);
    const revision = expected + append.events.length;
    if (found === expected) {
      n += append.events.length;
      return { kind: 'appended', revision, place: { position: String(n) } };
    }
    if (already !== null) return { kind: 'appended', revision, place: { position: already } };
    return { kind: 'conflict', actual: found === -1 ? 'no stream' : found };
  }
}

/** What the database itself says may go well another time. Of what it did not say, nobody knows the outcome. All else is its verdict. */
const PASSING = /^(08|40|53|55P03|57)/;

const isUnknown = (error: unknown): boolean => !(error instanceof pg.DatabaseError) || PASSING.test(error.code ?? '08');
