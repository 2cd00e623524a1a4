import { FairQueue } from '../../kernel/fair-queue.ts';
import type { Destination, Partition } from './destination.ts';
import { kinds } from './kinds/kind-table.ts';

/** Batches in flight to one destination, so that the scopes of one receiver leave room for other receivers. */
const MOST_OF_DESTINATION = 8;

/**
 * Which scope is pushed next. Destinations take turns, each has a share of the batches in flight and a circuit breaker, and within a scope one batch is in
 * flight at a time: a receiver that is slow, fails or is far behind delays no other.
 */
export class PushSchedule {
  private readonly queue = new FairQueue<Partition>();
  private readonly waiting = new Set<Partition>();
  private readonly byNumber = new Map<number, Destination>();
  private inFlight = 0;

  add(destination: Destination): void {
    this.byNumber.set(destination.number, destination);
  }

  has(destination: Destination): boolean {
    return this.byNumber.get(destination.number) === destination;
  }

  remove(destination: Destination): void {
    this.byNumber.delete(destination.number);
    for (const partition of destination.partitions.values()) this.waiting.delete(partition);
  }

  /** There may be events to push. */
  wake(partition: Partition, now: number): void {
    partition.wakes++;
    if (partition.state === 'idle') this.plan(partition, now);
  }

  /** Plans a scope now, or when its back-off ends. */
  plan(partition: Partition, now: number): void {
    const { destination, row, state } = partition;
    if (state === 'queued' || state === 'pushing') return;
    this.waiting.delete(partition);
    partition.state = 'idle';
    if (row.parkedAt !== null || destination.settings.paused !== null || !this.has(destination)) return;
    partition.readyAt = Math.max(partition.readyAt, row.nextTry?.getTime() ?? 0);
    if (partition.readyAt > now) {
      partition.state = 'waiting';
      this.waiting.add(partition);
    } else {
      partition.state = 'queued';
      this.queue.push(destination.number, partition);
    }
  }

  /** The next batch to send; undefined: none may be sent now. */
  take(now: number): Partition | undefined {
    for (const partition of this.waiting) if (partition.readyAt <= now) this.plan(partition, now);
    for (;;) {
      const partition = this.queue.take((number) => this.mayPush(number, now));
      if (partition === undefined) return undefined;
      partition.state = 'idle';
      if (this.isEnded(partition)) continue;
      partition.state = 'pushing';
      partition.destination.inFlight++;
      this.inFlight++;
      return partition;
    }
  }

  finished(partition: Partition): void {
    partition.state = 'idle';
    partition.destination.inFlight--;
    this.inFlight--;
  }

  /** When something that waits is due, in milliseconds. */
  nextAt(now: number): number {
    let at = Infinity;
    for (const { readyAt } of this.waiting) at = Math.min(at, readyAt);
    for (const { circuit } of this.byNumber.values()) if (circuit.nextAt > now) at = Math.min(at, circuit.nextAt);
    return at;
  }

  private isEnded({ destination, row }: Partition): boolean {
    return row.parkedAt !== null || destination.settings.paused !== null || !this.has(destination);
  }

  private mayPush(number: number | undefined, now: number): boolean {
    const destination = this.byNumber.get(number ?? -1);
    // What is still queued for a removed destination is taken, and dropped.
    if (destination === undefined) return true;
    const { inFlight, circuit, settings } = destination;
    return inFlight < MOST_OF_DESTINATION && this.inFlight < kinds[settings.kind].maxConcurrent && circuit.allows(now, inFlight);
  }
}
