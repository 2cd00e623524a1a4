import { ProjectionLifecycle, type LifecycleOptions } from '../engine/lifecycle.ts';
import { park } from '../engine/parked-events.ts';
import { ensureViewTables, finishViewTables } from './view-tables.ts';
import { type LocalViewWorkOptions, localViewWork, type ViewCode } from './view-work.ts';

const FIRST_FILL_GAP = 5_000;
const REBUILD_GAP = 2_000;

export interface ViewLifecycleOptions extends LifecycleOptions, Omit<LocalViewWorkOptions, 'log' | 'db'> {
  /** When absent, it runs in this process, with the account of `db`. */
  readonly code?: ViewCode;
}

/** The lifecycle of a unit of views. */
export function viewLifecycle(options: ViewLifecycleOptions): ProjectionLifecycle {
  const { unit, db, code } = options;
  const work = code?.work ?? localViewWork(options);
  const { schema, publicSchema } = unit;
  return new ProjectionLifecycle(
    {
      schema,
      publicSchema,
      ensureTables: (name) => ensureViewTables(db, unit, name, code?.own),
      openRunner: () => work.openRunner(),
      fillNew: async (signal) => {
        await db.query('DELETE FROM projection_parked WHERE schema = $1', [schema]);
        await work.fill({ schema, until: { maxGap: FIRST_FILL_GAP }, isThrottled: false }, signal);
        if (!signal.aborted) await finishViewTables(db, unit);
      },
      openFill: (name, signal) => ({
        toHead: async () => {
          await work.fill({ schema: name, until: { maxGap: REBUILD_GAP }, isThrottled: true }, signal);
          if (!signal.aborted) await finishViewTables(db, unit, name);
        },
        to: (n) => work.fill({ schema: name, until: n, isThrottled: false }, signal),
      }),
      parkStopping: async (error) => {
        const event = work.parkedBy(error);
        if (event !== undefined) await park(db, schema, event);
      },
    },
    options,
  );
}
