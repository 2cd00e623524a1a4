import { derivedId } from '../../kernel/ids.ts';
import type { Clock } from '../../kernel/clock.ts';
import { systemContext, type CommandContext } from '../../commands/context.ts';
import type { DayBooks } from '../../domain/days/days.events.ts';
import type { ClosedBooks } from '../../observations/closed-days/closed-books.ts';
import { DAY, startOfDay, utcDay } from '../../observations/closed-days/day-intervals.codec.ts';
import type { DayPartitions } from '../../observations/packs/day-partitions.ts';
import type { Repacking } from '../../observations/packs/repack.ts';
import type { Sample } from '../../observations/samples/sample.ts';
import type { SampleStore } from '../../observations/samples/sample-store.ts';
import { booksOf, neededFor } from './day-books.ts';

/** After a day's last bucket; observations are accepted for five minutes, and wait at most for one repacking. */
const GRACE = 900_000;

export interface DayClosingParts {
  readonly books: Pick<ClosedBooks, 'open' | 'mark'>;
  readonly partitions: Pick<DayPartitions, 'days'>;
  readonly repacking: Pick<Repacking<Sample>, 'repack' | 'oldest'>;
  readonly samples: Pick<SampleStore, 'between'>;
  readonly clock: Clock;
  readonly close: (context: CommandContext, projectId: string, books: DayBooks) => Promise<void>;
}

/** Sums up each day once it can no longer change: events first, then the mark that lets the samples go. A repeat after a crash writes nothing twice. */
export class DayClosing {
  private readonly done = new Set<string>();

  constructor(private readonly parts: DayClosingParts) {}

  /** Answers how many books were closed. Days in order, so that what is closed is always the past up to some day. */
  async closeDue(signal?: AbortSignal): Promise<number> {
    const { books, repacking } = this.parts;
    if ((await this.due()).length === 0) return 0;
    await repacking.repack(0);
    // Somebody else, whose lease has ended, may still be at it.
    const inHand = (await repacking.oldest()) ?? Infinity;
    let closed = 0;
    // Asked again: what was repacked just now may be of days that had nothing so far.
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
