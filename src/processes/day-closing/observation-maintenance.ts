import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandBus } from '@nestjs/cqrs';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Leases } from '../../persistence/leases.ts';
import { CloseDay } from '../../commands/observation.commands.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { LimitMeter } from '../../kernel/limits.ts';
import { ClosedBooks } from '../../observations/closed-days/closed-books.ts';
import { DayPartitions } from '../../observations/packs/day-partitions.ts';
import { PackCompactor } from '../../observations/packs/pack-compactor.ts';
import { deleteOrphans, type ExistenceQueries } from '../../observations/retention.ts';
import { applyRetention } from '../../observations/retention.ts';
import { runKind } from '../../observations/runs/run.codec.ts';
import { PostgresSamples } from '../../observations/samples/postgres-samples.ts';
import type { Sample } from '../../observations/samples/sample.ts';
import { sampleKind } from '../../observations/samples/postgres-samples.ts';
import { checkView } from '../../projections/read-models/check/check.view.ts';
import type { View } from '../../projections/authoring/define-view.ts';
import { LeasedLoop } from '../../persistence/leased-loop.ts';
import { unlessParked, type ViewsAt } from '../../projections/views/views.ts';
import { projectView } from '../../projections/read-models/project/project.view.ts';
import { DayClosing } from './day-closing.ts';

export interface ObservationMaintenanceParts {
  readonly pool: pg.Pool;
  readonly commands: CommandBus;
  readonly views: ViewsAt;
  readonly leases: Leases;
  readonly logger: Logger;
  readonly limitMeter: LimitMeter;
}

export interface KeepLimits {
  readonly retentionDays: number;
  readonly pageBytes: number;
}

const EVERY_MS = 600_000;
/** Observations of at most this age are left unpacked, which bounds what a reader of today scans. */
const FRESH_MS = 60_000;
const SWEEP_EVERY = 6;
const DAY_MS = 86_400_000;

/** The process manager of observations: repacks them, closes days that are over and applies retention. Runs in one instance at a time. */
export function observationMaintenance(parts: ObservationMaintenanceParts, limits: KeepLimits): LeasedLoop {
  const { pool, commands, views, leases, logger, limitMeter } = parts;
  const repackings = [new PackCompactor(pool, sampleKind), new PackCompactor(pool, runKind)] as const;
  const turn = async (nth: number, closing: DayClosing, signal: AbortSignal): Promise<void> => {
    for (const repacking of repackings) await repacking.compact(FRESH_MS);
    const closed = await closing.closeDue(signal);
    if (closed > 0) logger.info({ books: closed }, 'days closed');
    if (nth % SWEEP_EVERY !== 0) return;
    const { retentionDays: days, pageBytes } = limits;
    const now = systemClock.now();
    const { dropped, refused, evicted } = await applyRetention(pool, { days, pageBytes }, now);
    limitMeter.refused('kept_pages', evicted);
    const orphans = await deleteOrphans(pool, existingIn(views), now - days * DAY_MS);
    if (dropped.length > 0 || orphans > 0) logger.info({ dropped, orphans }, 'observations past retention deleted');
    if (refused.length > 0) logger.warn({ refused }, 'partitions past retention were kept: their days are not closed');
  };
  const work = async (signal: AbortSignal): Promise<void> => {
    // Created per tenure of the lease: its memory of closed days is wrong after a restore of the database.
    const closing = dayClosing(pool, commands, repackings[0]);
    for (let nth = 0; !signal.aborted; nth++) {
      await turn(nth, closing, signal);
      await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
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

function dayClosing(pool: pg.Pool, commands: CommandBus, repacking: PackCompactor<Sample>): DayClosing {
  return new DayClosing({
    books: new ClosedBooks(pool),
    partitions: new DayPartitions(pool, 'sample'),
    repacking,
    samples: new PostgresSamples(pool),
    clock: systemClock,
    close: (context, projectId, books) => commands.execute(new CloseDay(context, projectId, books)),
  });
}
