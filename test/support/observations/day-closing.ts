import type pg from 'pg';
import { CloseDay, CloseDayHandler } from '../../../src/commands/observation.commands.ts';
import { CommandRunner } from '../../../src/commands/command-runner.ts';
import type { EventStore } from '../../../src/event-store/event-store.ts';
import { ClosedBooks } from '../../../src/observations/closed-days/closed-books.ts';
import { DayPartitions } from '../../../src/observations/packs/day-partitions.ts';
import { PackCompactor } from '../../../src/observations/packs/pack-compactor.ts';
import { PostgresSamples } from '../../../src/observations/samples/postgres-samples.ts';
import { sampleKind } from '../../../src/observations/samples/postgres-samples.ts';
import { DayClosing } from '../../../src/processes/day-closing/day-closing.ts';

/** Closes days on a test's own store and clock. */
export function dayClosingAt(pool: pg.Pool, store: EventStore, now: number, afterwards: () => void = () => undefined): DayClosing {
  const handler = new CloseDayHandler(new CommandRunner(store));
  return new DayClosing({
    books: new ClosedBooks(pool),
    partitions: new DayPartitions(pool, 'sample'),
    repacking: new PackCompactor(pool, sampleKind),
    samples: new PostgresSamples(pool),
    clock: { now: () => now },
    close: async (context, projectId, books) => {
      await handler.execute(new CloseDay(context, projectId, books));
      afterwards();
    },
  });
}
