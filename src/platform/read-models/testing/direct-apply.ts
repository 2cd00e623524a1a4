import type pg from 'pg';
import { upcast } from '../../../events.ts';
import type { LogEvent } from '../../../kernel/event.ts';
import type { Projection } from '../authoring/define-projection.ts';
import type { HandlerTransaction } from '../authoring/projection-tx.ts';
import { errorText } from '../engine/parked-events.ts';
import { schemaOf } from '../engine/schema-names.ts';
import { dropSchema } from '../engine/schemas.ts';
import { ensureSetTables, setTransaction } from '../sets/set-tables.ts';
import { type TableRows, tableRowsOf } from './law.ts';
import { freshLog, type SpecEvent } from './projection-spec.ts';

type Apply = (
  events: readonly LogEvent[],
  end?: 'commit' | 'roll back',
  beforeEnd?: (client: pg.PoolClient) => Promise<void>,
) => Promise<void>;

class RolledBack extends Error {}

/** The events as the log gives them to the projection. */
export async function historyOf(
  { handles, ...projection }: Projection,
  events: readonly SpecEvent[],
  pool: pg.Pool,
): Promise<readonly LogEvent[]> {
  const log = await freshLog(pool, schemaOf(projection));
  return (await log.appendAll(events)).map(upcast).filter(({ type }) => handles.has(type));
}

/** The tables after `work` applied events in its own order and transactions, without a runner or checkpoint. */
export async function tablesAfter(projection: Projection, pool: pg.Pool, work: (apply: Apply) => Promise<void>): Promise<TableRows> {
  const schema = schemaOf(projection);
  await dropSchema(pool, schema);
  await ensureSetTables(pool, projection, schema);
  await work(async (events, end = 'commit', beforeEnd = () => Promise.resolve()) => {
    const applying = setTransaction(pool, schema, async (tx, client) => {
      for (const event of events) await applyNamed(projection, event, tx);
      await tx.flush();
      await beforeEnd(client);
      if (end === 'roll back') throw new RolledBack();
    });
    await applying.catch((error: unknown) => {
      if (!(error instanceof RolledBack)) throw error;
    });
  });
  return tableRowsOf(pool, schema);
}

async function applyNamed(projection: Projection, event: LogEvent, tx: HandlerTransaction): Promise<void> {
  try {
    await projection.apply(event, tx);
  } catch (cause) {
    throw new Error(`projection ${projection.name}, ${event.type}: ${errorText(cause)}`, { cause });
  }
}
