import { setImmediate as nextTick } from 'node:timers/promises';
import { derivedId } from '../../kernel/ids.ts';
import type { Clock } from '../../kernel/clock.ts';
import { systemContext, type CommandContext } from '../../platform/commands/context.ts';
import type { DayBooks } from './days.events.ts';
import type { ClosedBooks } from '../../platform/observations/closed-days/closed-books.ts';
import { startOfDay, utcDay } from '../../platform/observations/closed-days/day-intervals.codec.ts';
import { DAY_MS } from '../../kernel/time.ts';
import type { DayPartitions } from '../../platform/observations/packs/day-partitions.ts';
import type { PackCompactor } from '../../platform/observations/packs/pack-compactor.ts';
import type { Sample } from '../../platform/observations/samples/sample.ts';
import { shardNumbers } from '../../platform/observations/shards.ts';
import type { SampleStore } from '../../platform/observations/samples/sample-store.ts';
import { type Books, booksOf, neededFor } from './day-books.ts';

/** After a day's last bucket: observations are accepted for five minutes and wait at most for one compaction. */
const GRACE = 900_000;
/** Projects that are closed at once: their events share a group commit, and their marks a statement. */
const AT_ONCE = 16;

export interface DayClosingParts {
  readonly books: Pick<ClosedBooks, 'open' | 'mark'>;
  readonly partitions: Pick<DayPartitions, 'days'>;
  readonly compactor: Pick<PackCompactor<Sample>, 'compact' | 'oldest'>;
  readonly samples: Pick<SampleStore, 'between'>;
  readonly clock: Clock;
  readonly close: (context: CommandContext, projectId: string, books: DayBooks) => Promise<void>;
}

export interface DayClosingTimes {
  /** How long after a day can no longer change it is closed. */
  readonly delayMs: number;
  /** Days that ended longer ago are left to others. */
  readonly withinMs: number;
}

interface SummedDay {
  readonly projectId: string;
  readonly day: string;
  readonly books: Books;
}

/**
 * Closes each day of a shard once it can no longer change: first the event, then the mark that allows deleting its samples. A repeat after a crash, or by
 * another process, is a no-op.
 */
export class DayClosing {
  private readonly done = new Set<string>();

  constructor(
    private readonly parts: DayClosingParts,
    private readonly times: DayClosingTimes = { delayMs: 0, withinMs: Infinity },
  ) {}

  /** Answers the number of closed books. Days are closed in order, so the closed ones of a shard are always a prefix of the past. */
  async closeDue(shards: readonly number[] = shardNumbers, signal?: AbortSignal): Promise<number> {
    let closed = 0;
    for (const shard of shards) if (signal?.aborted !== true) closed += await this.closeShard(shard, signal);
    return closed;
  }

  private async closeShard(shard: number, signal: AbortSignal | undefined): Promise<number> {
    const { books, compactor } = this.parts;
    if ((await this.due(shard)).length === 0) return 0;
    await compactor.compact(0, [shard]);
    // A former owner may still be compacting.
    const inHand = (await compactor.oldest(shard)) ?? Infinity;
    let closed = 0;
    // Queried again: the compaction may have added days that had no samples so far.
    for (const day of await this.due(shard)) {
      if (neededFor(day).to > inHand) return closed;
      const open = await books.open(day, shard);
      for (let from = 0; from < open.length; from += AT_ONCE) {
        if (signal?.aborted === true) return closed;
        const batch = open.slice(from, from + AT_ONCE);
        await this.closeAll(batch, day);
        closed += batch.length;
      }
      this.done.add(keyOf(shard, day));
    }
    return closed;
  }

  private async due(shard: number): Promise<readonly string[]> {
    const { partitions, clock } = this.parts;
    const measured = (await partitions.days()).map(startOfDay);
    const days = [...new Set(measured.flatMap((start) => [start - DAY_MS, start, start + DAY_MS]))]
      .sort((one, other) => one - other)
      .map(utcDay);
    const now = clock.now() - GRACE - this.times.delayMs;
    return days.filter((day) => {
      const { to } = neededFor(day);
      return !this.done.has(keyOf(shard, day)) && to <= now && now - to <= this.times.withinMs;
    });
  }

  private async closeAll(projectIds: readonly string[], day: string): Promise<void> {
    const summed: SummedDay[] = [];
    for (const projectId of projectIds) {
      summed.push(await this.sumUp(projectId, day));
      await nextTick();
    }
    await Promise.all(summed.map((one) => this.append(one)));
    await this.parts.books.mark(
      day,
      summed.map(({ projectId, books: { uptime, sketched } }) => ({ projectId, sha256: uptime.sha256, buckets: sketched })),
    );
  }

  private async sumUp(projectId: string, day: string): Promise<SummedDay> {
    const { from, to } = neededFor(day);
    return { projectId, day, books: booksOf(projectId, day, await this.parts.samples.between(projectId, from, to)) };
  }

  private async append({ projectId, day, books: { uptime, responseTimes, empty } }: SummedDay): Promise<void> {
    if (empty) return;
    const actor = { kind: 'reactor', id: 'day-closing' } as const;
    const context = systemContext(actor, this.parts.clock.now(), { commandId: derivedId('close-day', projectId, day) });
    await this.parts.close(context, projectId, { uptime, responseTimes });
  }
}

const keyOf = (shard: number, day: string): string => `${String(shard)} ${day}`;
