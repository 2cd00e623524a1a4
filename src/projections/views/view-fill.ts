import type pg from 'pg';
import type { Log } from '../../log/log.ts';
import { readState } from '../engine/checkpoint.ts';
import type { ViewUnit } from './unit.ts';
import type { FillRateLimit } from '../engine/fill-rate-limit.ts';
import type { Trouble } from './row.ts';
import { EventNotApplicable, ViewBuilder } from './view-builder.ts';
import { ViewRunner } from './view-runner.ts';

export interface Filling {
  readonly unit: ViewUnit;
  readonly log: Log;
  readonly db: pg.Pool;
  /** Made before (`ensureSchema`), empty or half filled. */
  readonly schema: string;
  readonly signal: AbortSignal;
  readonly progress?: (n: number) => void;
  readonly pace?: FillRateLimit;
}

/** Fills a schema up to exactly that event, voidings that come on the way included. */
export async function fillTo(filling: Filling, until: number): Promise<void> {
  const { unit, log, db, schema, signal, progress, pace } = filling;
  for (let at = -1; !signal.aborted && at < until;) {
    at = await new ViewBuilder(unit, log, db, schema, pace).fill(until, signal, progress);
    if (at >= until || signal.aborted) return;
    const runner = new ViewRunner(unit, log, db, { advance: () => undefined, mayPark: refuse }, schema);
    await runner.begin();
    if ((await runner.step(1, until)) === 0) return;
    at = runner.position;
  }
}

function refuse(trouble: Trouble): never {
  throw new EventNotApplicable(trouble);
}

/** Fills while events go on coming, until so near that the rest is a matter of moments. */
export async function fillToHead(filling: Filling, nearEnough: number): Promise<void> {
  const { log, db, schema, signal } = filling;
  for (;;) {
    const head = await log.head();
    const at = (await readState(db, schema))?.checkpoint.n ?? -1;
    if (signal.aborted || head === at) return;
    await db.query('UPDATE projection SET total = $2 WHERE schema = $1', [schema, head + 1]);
    await fillTo(filling, head);
    if ((await log.head()) - head <= nearEnough) return;
  }
}
