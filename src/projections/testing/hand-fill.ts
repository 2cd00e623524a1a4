import type pg from 'pg';
import { inTransaction } from '../../persistence/transaction.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Projection } from '../authoring/define-projection.ts';
import { reasonOf } from '../views/fold.ts';
import { type Tables, tablesOf } from './law.ts';
import { freshLog, type SpecEvent } from './projection-spec.ts';
import { HandlerTransaction } from '../authoring/projection-tx.ts';
import { ensureSetSchema } from '../sets/set-schema.ts';
import { dropSchema } from '../views/unit-schema.ts';
import { schemaOf } from '../engine/schema-names.ts';
import { upcast } from '../../domain/events.ts';

type Apply = (events: readonly LogEvent[], end?: 'kept' | 'undone', before?: (client: pg.PoolClient) => Promise<void>) => Promise<void>;

class Undone extends Error {}

export async function historyOf(
  { handles, ...projection }: Projection,
  events: readonly SpecEvent[],
  pool: pg.Pool,
): Promise<readonly LogEvent[]> {
  const log = await freshLog(pool, schemaOf(projection));
  return (await log.appendAll(events)).map(upcast).filter(({ type }) => handles.has(type));
}

/** The tables after somebody applied the events in an order of his own, without the checkpoints of the service. */
export async function filled(projection: Projection, pool: pg.Pool, work: (apply: Apply) => Promise<void>): Promise<Tables> {
  const schema = schemaOf(projection);
  await dropSchema(pool, schema);
  await ensureSetSchema(pool, projection, schema);
  const apply: Apply = async (some, end = 'kept', before = () => Promise.resolve()) => {
    const applying = inTransaction(pool, async (client) => {
      await client.query(`SET LOCAL search_path = "${schema}"`);
      const tx = new HandlerTransaction(client);
      for (const event of some) await taken(projection, event, tx);
      await tx.flush();
      await before(client);
      if (end === 'undone') throw new Undone();
    });
    await applying.catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
  };
  await work(apply);
  return tablesOf(pool, schema);
}

async function taken(projection: Projection, event: LogEvent, tx: HandlerTransaction): Promise<void> {
  try {
    await projection.apply(event, tx);
  } catch (cause) {
    throw new Error(`projection ${projection.name}, ${event.type}: ${reasonOf(cause)}`, { cause });
  }
}
