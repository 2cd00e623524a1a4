import { runTogether } from '../../kernel/abortable.ts';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../platform/log/log.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { BatchPush, type BatchPushParts } from './batch-push.ts';
import type { Partition } from './destination.ts';
import { DestinationSet } from './destination-set.ts';
import { InstallationScan } from './installation-scan.ts';
import { PushSchedule } from './push-schedule.ts';

export interface DestinationPusherParts extends Omit<BatchPushParts, 'log'> {
  readonly log: Pick<Log, 'read' | 'head' | 'follow'>;
  readonly report: (error: unknown) => void;
}

/** Longest wait between two passes; a push that becomes due ends it early. */
const IDLE_MS = 5_000;
/** After a failure on our side, such as an unavailable database. */
const OWN_FAILURE_MS = 5_000;
const DUE = 'due';

/**
 * Pushes the log to event destinations: at least once, in the order of the log within each project. The log is the outbox; what is stored beside it is a
 * position for each destination and scope. Runs in one instance, under a leader lease.
 */
export class DestinationPusher {
  private readonly schedule = new PushSchedule();
  private readonly destinations: DestinationSet;
  private readonly scan: InstallationScan;
  private readonly batches: BatchPush;
  private readonly inFlight = new Set<Promise<void>>();
  private readonly wake = new LocalWake();

  constructor(private readonly parts: DestinationPusherParts) {
    const { store, log, views, now, report } = parts;
    const { schedule } = this;
    this.destinations = new DestinationSet({ store, log, views, schedule, now });
    this.scan = new InstallationScan({ store, log, schedule, now, report, onFound: this.ring });
    this.batches = new BatchPush(parts);
  }

  async work(signal: AbortSignal): Promise<void> {
    const bell = this.wake.bell(DUE);
    try {
      await runTogether(signal, [
        async (running) => this.follow(await this.open(), running),
        async (running) => {
          while (!running.aborted) {
            this.pushDue();
            await bell.wait(this.waitMs(), running);
          }
        },
      ]);
    } finally {
      this.scan.stop();
      bell.close();
      await this.drain();
    }
  }

  /** Answers the position after which events have to be handled. */
  async open(): Promise<number> {
    const head = await this.destinations.open();
    for (const destination of this.destinations.ofInstallation) this.scan.catchUp(destination, head);
    this.ring();
    return head;
  }

  /** The next events of the log. */
  async handle(batch: readonly LogEvent[]): Promise<void> {
    for (const event of batch) {
      await this.destinations.apply(event);
      for (const destination of this.destinations.ofScope(event.scope))
        if (destination.wants(event))
          for (const partition of destination.partitions.values()) this.schedule.wake(partition, this.parts.now());
    }
    await this.scan.offer(this.destinations.ofInstallation, batch);
    this.ring();
  }

  /** Starts every batch that may be sent now; answers their number. */
  pushDue(): number {
    let started = 0;
    for (;;) {
      const partition = this.schedule.take(this.parts.now());
      if (partition === undefined) return started;
      started++;
      const done = this.push(partition).finally(() => {
        this.inFlight.delete(done);
        this.ring();
      });
      this.inFlight.add(done);
    }
  }

  /** Waits for the batches in flight. */
  async drain(): Promise<void> {
    await Promise.all([this.scan.drain(), ...this.inFlight]);
  }

  private async follow(after: number, signal: AbortSignal): Promise<void> {
    for await (const batch of this.parts.log.follow(after, signal)) {
      if (signal.aborted) return;
      await this.handle(batch);
    }
  }

  private async push(partition: Partition): Promise<void> {
    const { wakes } = partition;
    const { now, report } = this.parts;
    const result = await this.batches.push(partition).catch((error: unknown) => {
      report(error);
      partition.readyAt = now() + OWN_FAILURE_MS;
      return 'failed' as const;
    });
    this.schedule.finished(partition);
    // An event may have come after the log was read.
    if (result !== 'nothing' || partition.wakes !== wakes) this.schedule.plan(partition, now());
  }

  private waitMs(): number {
    const now = this.parts.now();
    return Math.min(IDLE_MS, Math.max(0, this.schedule.nextAt(now) - now));
  }

  private readonly ring = (): void => {
    this.wake.ring(DUE);
  };
}
