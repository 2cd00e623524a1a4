import { CloseDay, CloseDayHandler } from '../../src/watches/observation.commands.ts';
import { CommandRunner } from '../../src/platform/commands/command-runner.ts';
import type { EventStore } from '../../src/platform/event-store/event-store.ts';
import type { ClosedBook } from '../../src/platform/observations/closed-days/closed-books.ts';
import { startOfDay, utcDay } from '../../src/platform/observations/closed-days/day-intervals.codec.ts';
import { shardNumberOf, shardNumbers } from '../../src/platform/observations/shards.ts';
import { DayClosing } from '../../src/watches/days/day-closing.ts';
import { DAY, HOUR } from './time-limits.ts';
import type { SimLeaseTable } from './sim-leases.ts';
import type { SimSamples } from './sim-stores.ts';
import type { Machine, VirtualTime } from './virtual-time.ts';

const LOOK_MS = HOUR;

/** The marks of closed days, which all machines share. */
export class SimBooks {
  private readonly closed = new Set<string>();

  constructor(private readonly samples: SimSamples) {}

  /** The UTC days on which something was measured. */
  async days(): Promise<readonly string[]> {
    await Promise.resolve();
    const spans = this.samples.projects.map((projectId) => this.spanOf(projectId));
    const [first, last] = [Math.min(...spans.map(([from]) => from)), Math.max(...spans.map(([, to]) => to))];
    const days: string[] = [];
    for (let day = Math.floor(first / DAY) * DAY; day <= last; day += DAY) days.push(utcDay(day));
    return days;
  }

  async open(day: string, shard: number): Promise<readonly string[]> {
    await Promise.resolve();
    return this.samples.projects.filter((projectId) => {
      if (shardNumberOf(projectId) !== shard) return false;
      const [from, to] = this.spanOf(projectId);
      return !this.closed.has(`${projectId} ${day}`) && from < startOfDay(day) + DAY + HOUR && to > startOfDay(day) - HOUR;
    });
  }

  async mark(day: string, closed: readonly ClosedBook[]): Promise<void> {
    await Promise.resolve();
    for (const { projectId } of closed) this.closed.add(`${projectId} ${day}`);
  }

  private spanOf(projectId: string): readonly [from: number, to: number] {
    const samples = this.samples.of(projectId);
    return [samples[0]?.at ?? Infinity, samples.at(-1)?.at ?? -Infinity];
  }
}

export interface DayClosingParts {
  readonly time: VirtualTime;
  readonly leases: SimLeaseTable;
  readonly samples: SimSamples;
  readonly books: SimBooks;
  readonly store: EventStore;
  readonly broken: (what: string) => void;
}

/** Closes the days that are over, on the machine that holds the lease for it. */
export class SimDayClosing {
  private readonly closing: DayClosing;

  constructor(
    private readonly machine: Machine,
    private readonly parts: DayClosingParts,
  ) {
    const { books, samples, store } = parts;
    const handler = new CloseDayHandler(new CommandRunner(store));
    this.closing = new DayClosing({
      ...{ books, samples, partitions: books, clock: { now: machine.now } },
      compactor: { compact: () => Promise.resolve(0), oldest: () => Promise.resolve(null) },
      close: (context, projectId, day) => handler.execute(new CloseDay(context, { projectId, books: day })),
    });
    this.plan();
  }

  private plan(): void {
    this.machine.after(LOOK_MS, () => {
      void this.parts.time.hold(this.turn()).then(() => {
        this.plan();
      });
    });
  }

  private async turn(): Promise<void> {
    try {
      const lease = await this.parts.leases.of(this.machine).acquire('observations');
      if (lease === null) return;
      await this.closing.closeDue(shardNumbers, lease.signal);
      await lease.release();
    } catch (error) {
      if (!/away|stopped/.test(String(error))) this.parts.broken(`${this.machine.name}: ${String(error)}`);
    }
  }
}
