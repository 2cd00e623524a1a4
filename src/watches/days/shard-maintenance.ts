import type { CommandBus } from '@nestjs/cqrs';
import type pg from 'pg';
import { CloseDay } from '../observation.commands.ts';
import { repeatUntilAborted } from '../../kernel/abortable.ts';
import { systemClock } from '../../kernel/clock.ts';
import { ClosedBooks } from '../../platform/observations/closed-days/closed-books.ts';
import { DayPartitions } from '../../platform/observations/packs/day-partitions.ts';
import { PackCompactor } from '../../platform/observations/packs/pack-compactor.ts';
import { runKind } from '../../platform/observations/runs/run.codec.ts';
import { PostgresSamples, sampleKind } from '../../platform/observations/samples/postgres-samples.ts';
import { shardNumbers, SHARDS } from '../../platform/observations/shards.ts';
import { DayClosing, type DayClosingTimes } from './day-closing.ts';
import { DAY_MS } from '../../kernel/time.ts';

/** Every shard is compacted once in this time, which bounds what a reader of today scans. */
export const COMPACTION_CYCLE_MS = 600_000;
/** Observations of at most this age are left unpacked: they may still be in flight to a reader that catches up. */
export const FRESH_MS = 60_000;
const CLOSING_MS = 60_000;
/** Older days of a shard are checked once by the maintenance of all, not by each new owner. */
const OWNED_DAYS = 3;

export interface ShardMaintenanceOptions {
  readonly pool: pg.Pool;
  readonly commands: CommandBus;
  /** The shards that this process owns now. */
  readonly owned: () => readonly number[];
  readonly report: (error: unknown, activity: string) => void;
  readonly onClosed: (books: number) => void;
}

/**
 * The upkeep of the shards that a checker owns: compacts their flushes, one shard after the other, and closes their days. Two loops, so that closing a hundred
 * thousand days does not hold up compaction. Work on a shard that was just lost is harmless: both compare before they write.
 */
export class ShardMaintenance {
  private readonly closing = new AbortController();
  private running: Promise<unknown> | undefined;

  constructor(private readonly options: ShardMaintenanceOptions) {}

  start(): void {
    const { signal } = this.closing;
    this.running ??= Promise.all([this.keepCompacting(signal), this.keepClosing(signal)]);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private keepCompacting(signal: AbortSignal): Promise<void> {
    const { pool, owned, report } = this.options;
    const compactors = [new PackCompactor(pool, sampleKind), new PackCompactor(pool, runKind)];
    let next = 0;
    return repeatUntilAborted(signal, COMPACTION_CYCLE_MS / SHARDS, async () => {
      const shard = next;
      next = (next + 1) % SHARDS;
      if (!owned().includes(shard)) return;
      for (const compactor of compactors)
        await compactor.compact(FRESH_MS, [shard]).catch((error: unknown) => {
          report(error, 'compacting observations');
        });
    });
  }

  private keepClosing(signal: AbortSignal): Promise<void> {
    const { pool, commands, owned, report, onClosed } = this.options;
    const closing = dayClosingOver(pool, commands, { delayMs: 0, withinMs: OWNED_DAYS * DAY_MS });
    return repeatUntilAborted(signal, CLOSING_MS, async () => {
      try {
        const books = await closing.closeDue(owned(), signal);
        if (books > 0) onClosed(books);
      } catch (error) {
        report(error, 'closing days');
      }
    });
  }
}

/** What no checker owns, as where a location is served no more: one process at a time, and only what is late. */
export class LeftoverMaintenance {
  private readonly compactors;
  private readonly closing: DayClosing;

  constructor(pool: pg.Pool, commands: CommandBus) {
    this.compactors = [new PackCompactor(pool, sampleKind), new PackCompactor(pool, runKind)];
    this.closing = dayClosingOver(pool, commands, { delayMs: LEFT_AFTER_MS, withinMs: Infinity });
  }

  /** Returns the number of closed books. */
  async work(signal: AbortSignal): Promise<number> {
    for (const compactor of this.compactors) {
      await compactor.compactFormer(FRESH_MS);
      await compactor.compact(LEFT_AFTER_MS, await compactor.lateShards(LEFT_AFTER_MS));
    }
    return this.closing.closeDue(shardNumbers, signal);
  }
}

/** An owner would have compacted and closed before. */
const LEFT_AFTER_MS = 3 * COMPACTION_CYCLE_MS;

const dayClosingOver = (pool: pg.Pool, commands: CommandBus, times: DayClosingTimes): DayClosing =>
  new DayClosing(
    {
      books: new ClosedBooks(pool),
      partitions: new DayPartitions(pool, 'sample'),
      compactor: new PackCompactor(pool, sampleKind),
      samples: new PostgresSamples(pool),
      clock: systemClock,
      close: (context, projectId, books) => commands.execute(new CloseDay(context, { projectId, books })),
    },
    times,
  );
