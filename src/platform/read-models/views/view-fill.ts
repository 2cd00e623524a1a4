import type pg from 'pg';
import type { LogReader } from '../../log/log.ts';
import { readSchemaState } from '../engine/checkpoint.ts';
import type { FillRateLimit } from '../engine/fill-rate-limit.ts';
import type { ParkedEvent } from '../engine/parked-events.ts';
import type { ViewUnit } from './unit.ts';
import { EventNotApplicable, ViewBuilder } from './view-builder.ts';
import { ViewRunner } from './view-runner.ts';

export interface ViewFill {
  readonly unit: ViewUnit;
  readonly log: LogReader;
  readonly db: pg.Pool;
  /** Its tables exist (`ensureViewTables`), empty or partly filled. */
  readonly schema: string;
  readonly signal: AbortSignal;
  readonly progress?: (n: number) => void;
  readonly rateLimit?: FillRateLimit;
}

/** Fills the tables up to and including an event, and takes back events that are voided on the way. */
export async function fillTo(fill: ViewFill, until: number): Promise<void> {
  const { unit, log, db, schema, signal, progress, rateLimit } = fill;
  for (let at = -1; !signal.aborted && at < until;) {
    at = await new ViewBuilder(unit, log, db, schema, rateLimit).fill(until, signal, progress);
    if (at >= until || signal.aborted) return;
    const runner = new ViewRunner(unit, log, db, { beforePark: refuse }, schema);
    await runner.begin();
    if ((await runner.applyPage(1, until)) === 0) return;
    at = runner.position;
  }
}

function refuse(parked: ParkedEvent): never {
  throw new EventNotApplicable(parked);
}

/** Fills while new events arrive, until at most `maxGap` events are missing. */
export async function fillToHead(fill: ViewFill, maxGap: number): Promise<void> {
  const { log, db, schema, signal } = fill;
  for (;;) {
    const head = await log.head();
    const at = (await readSchemaState(db, schema))?.checkpoint.n ?? -1;
    if (signal.aborted || head === at) return;
    await db.query('UPDATE projection SET total = $2 WHERE schema = $1', [schema, head + 1]);
    await fillTo(fill, head);
    if ((await log.head()) - head <= maxGap) return;
  }
}
