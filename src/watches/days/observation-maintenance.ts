import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandBus } from '@nestjs/cqrs';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Leases } from '../../platform/postgres/leases.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { LimitMeter } from '../../kernel/limits.ts';
import type { PageBodies } from '../../platform/observations/pages/page-bodies.ts';
import { keptBytesOf } from '../../platform/observations/pages/page-budget.ts';
import { applyRetention, deleteOrphans, type ExistenceQueries } from '../../platform/observations/retention.ts';
import { checkView } from '../../projects/checks/check.view.ts';
import type { View } from '../../platform/read-models/authoring/define-view.ts';
import { LeasedLoop } from '../../platform/postgres/leased-loop.ts';
import { unlessParked, type ViewsAt } from '../../platform/read-models/views/views.ts';
import { projectView } from '../../projects/project.view.ts';
import { COMPACTION_CYCLE_MS, LeftoverMaintenance } from './shard-maintenance.ts';
import { DAY_MS } from '../../kernel/time.ts';

export interface ObservationMaintenanceParts {
  readonly pool: pg.Pool;
  readonly commands: CommandBus;
  readonly views: ViewsAt;
  readonly leases: Leases;
  readonly logger: Logger;
  readonly limitMeter: LimitMeter;
  readonly pageBodies: PageBodies | null;
}

export interface KeepLimits {
  readonly retentionDays: number;
  /** Undefined: by the number of projects. */
  readonly keptPagesMb: number | undefined;
}

const SWEEP_EVERY = 6;

/** The process manager of observations: applies retention, and does what no owner of a shard does. Runs in one instance at a time. */
export function observationMaintenance(parts: ObservationMaintenanceParts, limits: KeepLimits): LeasedLoop {
  const { pool, commands, views, leases, logger, limitMeter, pageBodies: bodies } = parts;
  const turn = async (nth: number, leftovers: LeftoverMaintenance, signal: AbortSignal): Promise<void> => {
    const closed = await leftovers.work(signal);
    if (closed > 0) logger.info({ books: closed }, 'days of shards without a checker closed');
    if (nth % SWEEP_EVERY !== 0) return;
    const { retentionDays: days, keptPagesMb } = limits;
    const now = systemClock.now();
    const keptBytes = keptBytesOf(keptPagesMb, await views.now().count(projectView, { parked: 'as before' }));
    const { dropped, refused, evicted } = await applyRetention(pool, { days, keptBytes, bodies }, now);
    limitMeter.refused('kept_pages', evicted);
    const orphans = await deleteOrphans(pool, existingIn(views), now - days * DAY_MS);
    if (dropped.length > 0 || orphans > 0) logger.info({ dropped, orphans }, 'observations past retention deleted');
    if (refused.length > 0) logger.warn({ refused }, 'partitions past retention were kept: their days are not closed');
  };
  const work = async (signal: AbortSignal): Promise<void> => {
    // Created per tenure of the lease: its memory of closed days is wrong after a restore of the database.
    const leftovers = new LeftoverMaintenance(pool, commands);
    for (let nth = 0; !signal.aborted; nth++) {
      await turn(nth, leftovers, signal);
      await sleep(COMPACTION_CYCLE_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const report = (error: unknown): void => {
    logger.warn({ err: error }, 'observation maintenance failed; retrying');
  };
  return new LeasedLoop({ name: 'observations', leases, work, report });
}

/** Parked rows count as existing. */
export function existingIn(views: ViewsAt): ExistenceQueries {
  const among = (view: View) => async (ids: readonly string[]) => {
    const there = await unlessParked(views.now().many(view, ids));
    return there === 'parked' ? null : new Set(there.keys());
  };
  return { checks: among(checkView), projects: among(projectView) };
}
