import type { EventStore, FollowedEvent } from '../event-store.ts';
import { begun, DEADLINE_MS } from './steps.contract.ts';

/** Positions are one number or several; an engine may pad them, none may repeat or step back. */
function isAfter(position: string, earlier: string): boolean {
  const before = earlier.split(':').map(BigInt);
  const differing = position
    .split(':')
    .map(BigInt)
    .map((part, index) => part - (before[index] ?? 0n))
    .find((difference) => difference !== 0n);
  return differing !== undefined && differing > 0n;
}

/** Collects what the store tells, from a position on. */
export class Follower {
  readonly events: FollowedEvent[] = [];
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;

  constructor(
    store: EventStore,
    readonly begin: string | null,
  ) {
    this.running = this.run(store);
    this.running.catch(() => undefined);
  }

  /** Begins after everything that is there now: a marker tells when that is. */
  static async atEnd(store: EventStore): Promise<Follower> {
    const marker = await begun(store, 1);
    const seeking = new Follower(store, null);
    await seeking.until(() => seeking.of(marker).length === 1);
    await seeking.stop();
    return new Follower(store, seeking.events.find(({ stream }) => stream === marker)?.position ?? null);
  }

  of(stream: string): number[] {
    return this.events.filter((event) => event.stream === stream).map(({ revision }) => revision);
  }

  places(): string[] {
    return this.events.map(({ stream, revision, position }) => `${position} ${stream} ${String(revision)}`);
  }

  positionsGrow(): boolean {
    return this.events.every(({ position }, index) => index === 0 || isAfter(position, this.events[index - 1]?.position ?? position));
  }

  async until(condition: () => boolean): Promise<void> {
    const deadline = Date.now() + DEADLINE_MS;
    while (!condition()) {
      if (Date.now() > deadline) throw new Error(`the follower saw ${String(this.events.length)} events and not those that were awaited`);
      await Promise.race([this.running, new Promise((resolve) => setTimeout(resolve, 5))]);
    }
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(store: EventStore): Promise<void> {
    for await (const batch of store.follow(this.begin, this.stopping.signal)) this.events.push(...batch);
  }
}
