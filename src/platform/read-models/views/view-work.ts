import type pg from 'pg';
import type { Tracer } from '../../../kernel/tracer.ts';
import type { LogReader, OwnAppends } from '../../log/log.ts';
import { throttled, unthrottled } from '../engine/fill-rate-limit.ts';
import type { ProjectionRunner } from '../engine/lifecycle.ts';
import { type ParkedEvent, UnreadableEvent } from '../engine/parked-events.ts';
import type { ViewUnit } from './unit.ts';
import { EventNotApplicable } from './view-builder.ts';
import { fillTo, fillToHead } from './view-fill.ts';
import { ViewRunner } from './view-runner.ts';

export interface ViewFillRequest {
  readonly schema: string;
  /** Up to and including this event, or until at most `maxGap` events are missing. */
  readonly until: number | { readonly maxGap: number };
  /** Beside tables in use. */
  readonly isThrottled: boolean;
}

/** Everything that runs code of views: a port, because that of a team runs in a process of its own (src/teams). */
export interface ViewWork {
  openRunner(): ProjectionRunner;
  fill(request: ViewFillRequest, signal: AbortSignal): Promise<void>;
  /** What the failure of a fill or a runner parks. */
  parkedBy(error: unknown): ParkedEvent | undefined;
}

export interface LocalViewWorkOptions {
  readonly unit: ViewUnit;
  readonly log: LogReader;
  readonly db: pg.Pool;
  /** What this process appends to the log. One runner may use it. */
  readonly recent?: OwnAppends | undefined;
  readonly onParked?: ((parked: ParkedEvent) => void) | undefined;
  readonly tracer?: Tracer | undefined;
}

/** A view of a team: its code runs elsewhere, with a role that `own` hands its schemas to. */
export interface ViewCode {
  readonly work: ViewWork;
  readonly own: (client: pg.PoolClient, schema: string) => Promise<void>;
}

/** In this process: that of the service for its own views, that of the package for those of a team. */
export const localViewWork = ({ unit, log, db, recent, onParked, tracer }: LocalViewWorkOptions): ViewWork => ({
  openRunner: () => new ViewRunner(unit, log, db, { ...(recent && { recent }), ...(onParked && { onParked }), ...(tracer && { tracer }) }),
  fill: ({ schema, until, isThrottled }, signal) => {
    const fill = { unit, log, db, schema, signal, rateLimit: isThrottled ? throttled() : unthrottled() };
    return typeof until === 'number' ? fillTo(fill, until) : fillToHead(fill, until.maxGap);
  },
  parkedBy: (error) => {
    if (error instanceof EventNotApplicable) return error.parkedEvent;
    return error instanceof UnreadableEvent ? error.parkedIn(unit.viewsFor(error.event)[0]?.name ?? unit.name) : undefined;
  },
});
