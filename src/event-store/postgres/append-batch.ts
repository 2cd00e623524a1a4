import pg from 'pg';
import type { AppendResult } from '../event-store.ts';
import { StoreUnavailable } from '../limits.ts';
import type { PendingAppend } from './batch-queue.ts';

const APPEND = {
  name: 'append_events',
  text: `SELECT head, actual, repeated FROM append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
};

interface Answer {
  readonly head: string;
  readonly actual: readonly string[];
  readonly repeated: readonly (string | null)[] | null;
}

/** Sends a batch and settles each append of it. Never rejects. */
export async function appendBatch(pool: pg.Pool, batch: readonly PendingAppend[]): Promise<void> {
  try {
    const { rows } = await pool.query<Answer>({ ...APPEND, values: parameters(batch) });
    const answer = rows[0];
    if (answer === undefined) throw new Error('append_events answered nothing');
    settle(batch, answer);
  } catch (error) {
    if (isUnknown(error)) for (const append of batch) append.fail(new StoreUnavailable('the event store is away', { cause: error }));
    // The database refused one of them, and with it all: each alone, so that it spoils only itself.
    else if (batch.length > 1) for (const append of batch) await appendBatch(pool, [append]);
    else batch[0]?.fail(error);
  }
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
