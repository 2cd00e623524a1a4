import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Projection } from '../authoring/define-projection.ts';
import { throttled } from '../engine/fill-rate-limit.ts';
import { type LifecycleOptions, ProjectionLifecycle } from '../engine/lifecycle.ts';
import type { ParkedEvent } from '../engine/parked-events.ts';
import type { TableFill } from '../engine/rebuild.ts';
import { publicSchemaOf, schemaOf } from '../engine/schema-names.ts';
import { SetRunner } from './set-runner.ts';
import { ensureSetTables } from './set-tables.ts';
import type { TeamDatabase } from './team-database.ts';

const REBUILD_GAP = 2_000;

export interface SetLifecycleOptions extends LifecycleOptions {
  readonly projection: Projection;
  readonly onParked?: (parked: ParkedEvent) => void;
  /** Where its SQL runs; without it, on `db`. */
  readonly team?: TeamDatabase;
}

/** The lifecycle of a set projection. Its runner fills new tables, too. */
export function setLifecycle(options: SetLifecycleOptions): ProjectionLifecycle {
  const { projection, db, log, onParked, team } = options;
  const schema = schemaOf(projection);
  return new ProjectionLifecycle(
    {
      schema,
      publicSchema: publicSchemaOf(projection),
      ensureTables: (name) => ensureSetTables(db, projection, name, team),
      openRunner: () => new SetRunner(projection, log, team?.pool ?? db, schema, onParked),
      openFill: (name, signal) => openFill(options, name, signal),
    },
    options,
  );
}

function openFill({ projection, log, db, onParked, team }: SetLifecycleOptions, schema: string, signal: AbortSignal): TableFill {
  const runner = new SetRunner(projection, log, team?.pool ?? db, schema, onParked, throttled());
  return {
    toHead: async () => {
      await runner.begin();
      while (!signal.aborted) {
        const head = await log.head();
        await db.query('UPDATE projection SET total = $2 WHERE schema = $1', [schema, head + 1]);
        await runner.applyBatch();
        if (head - runner.position < REBUILD_GAP) return;
        await yieldToOthers();
      }
    },
    to: async (n) => {
      while (runner.position < n) await runner.applyBatch(n);
    },
  };
}
