import type { Tracer } from '../../kernel/tracer.ts';
import type { OwnAppends } from '../../log/log.ts';
import { ProjectionLifecycle, type LifecycleOptions } from '../engine/lifecycle.ts';
import { throttled } from '../engine/fill-rate-limit.ts';
import { park, type ParkedEvent, UnreadableEvent } from '../engine/parked-events.ts';
import type { ViewUnit } from './unit.ts';
import { EventNotApplicable } from './view-builder.ts';
import { fillTo, fillToHead } from './view-fill.ts';
import { ViewRunner } from './view-runner.ts';
import { ensureViewTables, finishViewTables } from './view-tables.ts';

const FIRST_FILL_GAP = 5_000;
const REBUILD_GAP = 2_000;

export interface ViewLifecycleOptions extends LifecycleOptions {
  readonly unit: ViewUnit;
  /** What this process appends to the log. One runner may use it. */
  readonly recent?: OwnAppends;
  readonly onParked?: (parked: ParkedEvent) => void;
  readonly tracer?: Tracer;
}

/** The lifecycle of a unit of views. */
export function viewLifecycle(options: ViewLifecycleOptions): ProjectionLifecycle {
  const { unit, log, db, recent, onParked, tracer } = options;
  const { schema, publicSchema } = unit;
  const parked = (error: unknown): ParkedEvent | undefined => {
    if (error instanceof EventNotApplicable) return error.parkedEvent;
    return error instanceof UnreadableEvent ? error.parkedIn(unit.viewsFor(error.event)[0]?.name ?? unit.name) : undefined;
  };
  return new ProjectionLifecycle(
    {
      schema,
      publicSchema,
      ensureTables: (name) => ensureViewTables(db, unit, name),
      openRunner: () =>
        new ViewRunner(unit, log, db, { ...(recent && { recent }), ...(onParked && { onParked }), ...(tracer && { tracer }) }),
      fillNew: async (signal) => {
        await db.query('DELETE FROM projection_parked WHERE schema = $1', [schema]);
        await fillToHead({ unit, log, db, schema, signal }, FIRST_FILL_GAP);
        if (!signal.aborted) await finishViewTables(db, unit);
      },
      openFill: (name, signal) => ({
        toHead: async () => {
          await fillToHead({ unit, log, db, schema: name, signal, rateLimit: throttled() }, REBUILD_GAP);
          if (!signal.aborted) await finishViewTables(db, unit, name);
        },
        to: (n) => fillTo({ unit, log, db, schema: name, signal }, n),
      }),
      parkStopping: async (error) => {
        const event = parked(error);
        if (event !== undefined) await park(db, schema, event);
      },
    },
    options,
  );
}
