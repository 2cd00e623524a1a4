import type pg from 'pg';
import { CloseDay, CloseDayHandler } from '../../../src/watches/observation.commands.ts';
import { CommandRunner } from '../../../src/platform/commands/command-runner.ts';
import type { CommandContext } from '../../../src/platform/commands/context.ts';
import type { DayBooks } from '../../../src/watches/days/days.events.ts';
import type { EventStore } from '../../../src/platform/event-store/event-store.ts';
import { ClosedBooks } from '../../../src/platform/observations/closed-days/closed-books.ts';
import { DayPartitions } from '../../../src/platform/observations/packs/day-partitions.ts';
import { PackCompactor } from '../../../src/platform/observations/packs/pack-compactor.ts';
import { PostgresSamples, sampleKind } from '../../../src/platform/observations/samples/postgres-samples.ts';
import { DayClosing, type DayClosingParts, type DayClosingTimes } from '../../../src/watches/days/day-closing.ts';

/** Closes days on a test's own store and clock. */
export function dayClosingAt(
  pool: pg.Pool,
  store: EventStore,
  now: number,
  afterwards: () => void = () => undefined,
  times?: DayClosingTimes,
): DayClosing {
  const handler = new CloseDayHandler(new CommandRunner(store));
  const parts = {
    books: new ClosedBooks(pool),
    partitions: new DayPartitions(pool, 'sample'),
    compactor: new PackCompactor(pool, sampleKind),
    samples: new PostgresSamples(pool),
    clock: { now: () => now },
    close: async (context: CommandContext, projectId: string, books: DayBooks) => {
      await handler.execute(new CloseDay(context, { projectId, books }));
      afterwards();
    },
  } satisfies DayClosingParts;
  return new DayClosing(parts, times);
}
