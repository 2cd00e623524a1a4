import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type pg from 'pg';
import { type LifecycleOptions, ProjectionLifecycle } from '../engine/lifecycle.ts';
import type { TableFill } from '../engine/rebuild.ts';
import { publicSchemaOf, schemaOf } from '../engine/schema-names.ts';
import { ensureSchema } from '../engine/schemas.ts';
import type { SetWork } from './set-work.ts';

const REBUILD_GAP = 2_000;

/** One version of a set projection, and where its code runs. */
export interface SetTarget {
  readonly name: string;
  readonly version: number;
  readonly work: SetWork;
  readonly ensureTables: (schema: string) => Promise<void>;
}

/** `own` hands the schema to the role that `work` runs with; nothing where it runs with the account of `db`. After a crash in between, the tables are created at the next start. */
export const setTarget = (
  { name, version }: { readonly name: string; readonly version: number },
  work: SetWork,
  db: pg.Pool,
  own: (client: pg.PoolClient, schema: string) => Promise<void> = () => Promise.resolve(),
): SetTarget => ({
  name,
  version,
  work,
  ensureTables: async (schema) => {
    const give = (client: pg.PoolClient): Promise<void> => own(client, schema);
    await ensureSchema(db, { schema, name, version: String(version), createTables: give, verifyTables: give });
    await work.createTables(schema);
  },
});

/** The lifecycle of a set projection. Its runner fills new tables, too. */
export function setLifecycle(target: SetTarget, options: LifecycleOptions, oneByOneUntil?: number): ProjectionLifecycle {
  const { work, ensureTables } = target;
  const schema = schemaOf(target);
  return new ProjectionLifecycle(
    {
      schema,
      publicSchema: publicSchemaOf(target),
      ensureTables,
      openRunner: () => work.openRunner(schema, 'full', oneByOneUntil),
      openFill: (name, signal) => openFill(work, options, name, signal),
    },
    options,
  );
}

function openFill(work: SetWork, { log, db }: LifecycleOptions, schema: string, signal: AbortSignal): TableFill {
  const runner = work.openRunner(schema, 'throttled');
  return {
    toHead: async () => {
      await runner.begin();
      while (!signal.aborted) {
        const head = await log.head();
        await db.query('UPDATE projection SET total = $2 WHERE schema = $1', [schema, head + 1]);
        await runner.applyBatch(undefined, signal);
        if (head - runner.checkpoint.n < REBUILD_GAP) return;
        await yieldToOthers();
      }
    },
    to: async (n) => {
      while (runner.checkpoint.n < n) await runner.applyBatch(n);
    },
  };
}
