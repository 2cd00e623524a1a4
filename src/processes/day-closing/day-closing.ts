import { derivedId } from '../../kernel/ids.ts';
import type { Clock } from '../../kernel/clock.ts';
import { systemContext, type CommandContext } from '../../commands/context.ts';
import type { DayBooks } from '../../domain/days/days.events.ts';
import type { ClosedBooks } from '../../observations/closed-days/closed-books.ts';
import { DAY, startOfDay, utcDay } from '../../observations/closed-days/day-intervals.codec.ts';
import type { DayPartitions } from '../../observations/packs/day-partitions.ts';
import type { PackCompactor } from '../../observations/packs/pack-compactor.ts';
import type { Sample } from '../../observations/samples/sample.ts';
import type { SampleStore } from '../../observations/samples/sample-store.ts';
import { booksOf, neededFor } from './day-books.ts';

/** After a day's last bucket: observations are accepted for five minutes and wait at most for one repacking. */
const GRACE = 900_000;

export interface DayClosingParts {
  readonly books: Pick<ClosedBooks, 'open' | 'mark'>;
  readonly partitions: Pick<DayPartitions, 'days'>;
  readonly repacking: Pick<PackCompactor<Sample>, 'compact' | 'oldest'>;
  readonly samples: Pick<SampleStore, 'between'>;
  readonly clock: Clock;
  readonly close: (context: CommandContext, projectId: string, books: DayBooks) => Promise<void>;
}

/** Closes each day once it can no longer change: first the event, then the mark that allows deleting its samples. A repeat after a crash is a no-op. */
export class DayClosing {
  private readonly done = new Set<string>();

  constructor(private readonly parts: DayClosingParts) {}

  /** Answers the number of closed books. Days are closed in order, so the closed ones are always a prefix of the past. */
  async closeDue(signal?: AbortSignal): Promise<number> {
    const { books, repacking } = this.parts;
    if ((await this.due()).length === 0) return 0;
    await repacking.compact(0);
    // A former lease holder may still be repacking.
    const inHand = (await repacking.oldest()) ?? Infinity;
    let closed = 0;
    // Queried again: the repacking may have added days that had no samples so far.
    for (const day of await this.due()) {
      if (neededFor(day).to > inHand) return closed;
      for (const projectId of await books.open(day)) {
        if (signal?.aborted === true) return closed;
        await this.closeOne(projectId, day);
        closed++;
      }
      this.done.add(day);
    }
    return closed;
  }

  private async due(): Promise<readonly string[]> {
    const { partitions, clock } = this.parts;
    const measured = (await partitions.days()).map(startOfDay);
    const days = [...new Set(measured.flatMap((start) => [start - DAY, start, start + DAY]))].sort((one, other) => one - other).map(utcDay);
    return days.filter((day) => !this.done.has(day) && neededFor(day).to + GRACE <= clock.now());
  }

  private async closeOne(projectId: string, day: string): Promise<void> {
    const { samples, clock, close, books } = this.parts;
    const { from, to } = neededFor(day);
    const { uptime, responseTimes, sketched, empty } = booksOf(projectId, day, await samples.between(projectId, from, to));
    if (!empty) {
      const actor = { kind: 'reactor', id: 'day-closing' } as const;
      await close(systemContext(actor, clock.now(), { commandId: derivedId('close-day', projectId, day) }), projectId, {
        uptime,
        responseTimes,
      });
    }
    await books.mark(projectId, day, uptime.sha256, sketched);
  }
}
