import type pg from 'pg';
import { KeyedMutex } from '../../../kernel/keyed-mutex.ts';
import type { LogReader } from '../../log/log.ts';
import type { Projection } from '../authoring/define-projection.ts';
import { throttled, unthrottled } from '../engine/fill-rate-limit.ts';
import type { ProjectionRunner } from '../engine/lifecycle.ts';
import type { ParkedEvent } from '../engine/parked-events.ts';
import { type ApplyingWatch, SetRunner } from './set-runner.ts';
import { createSetTables } from './set-tables.ts';

/** Beside tables in use a fill takes a quarter of the time (docs/decisions/projections.md). */
export type FillPace = 'full' | 'throttled';

export interface SetApplier extends ProjectionRunner {
  /** Many pages in one transaction; the number of their events. `signal` ends it after a page. */
  applyBatch(until?: number, signal?: AbortSignal): Promise<number>;
}

/** Everything that runs code of a set projection: a port, because that code runs in a process of its own (src/teams). */
export interface SetWork {
  /** In a schema that exists; verifies the tables where they exist, too. */
  createTables(schema: string): Promise<void>;
  /** Up to and including `oneByOneUntil` each event is applied alone: one of them may have ended the process. */
  openRunner(schema: string, pace: FillPace, oneByOneUntil?: number): SetApplier;
}

/** What a runner is about to apply: a page of events, or one event, whose partition is stated. */
export interface Applying {
  readonly schema: string;
  readonly first: number;
  readonly last: number;
  readonly partition: string | null;
}

export interface LocalSetWorkOptions {
  readonly log: LogReader;
  readonly db: pg.Pool;
  readonly onParked?: (parked: ParkedEvent) => void;
  readonly onApplying?: (applying: Applying) => void;
  /** The mutex of the process for events that are applied alone, one after the other. */
  readonly turns?: KeyedMutex;
}

/** In this process: that of the package, or a test. */
export const localSetWork = (
  projection: Projection,
  { log, db, onParked, onApplying = () => undefined, turns = new KeyedMutex() }: LocalSetWorkOptions,
): SetWork => ({
  createTables: (schema) => createSetTables(db, projection, schema),
  openRunner: (schema, pace, oneByOneUntil = -1) => {
    const watch: ApplyingWatch = {
      oneByOneUntil,
      page: (first, last) => {
        onApplying({ schema, first, last, partition: null });
      },
      alone: (n, partition, apply) =>
        turns.runExclusive('alone', () => {
          onApplying({ schema, first: n, last: n, partition });
          return apply();
        }),
    };
    return new SetRunner(projection, log, db, schema, onParked, pace === 'full' ? unthrottled() : throttled(), watch);
  },
});
