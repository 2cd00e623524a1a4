import type { Lease, Leases } from '../../platform/postgres/leases.ts';

/** Live checkers that serve a location, this one included. */
export type PeersAt = (location: string) => number;

export interface ShardKeeperOptions {
  readonly leases: Leases;
  readonly locations: readonly string[];
  /** The shards of a location in which there are projects; the others need no owner. */
  readonly occupied: (location: string) => readonly string[];
  /** Null if this one must hold no shard, because its clock is wrong. */
  readonly countPeers: () => Promise<PeersAt | null>;
  /** Called at the end, before the shards are released: a checker that still counts would leave its share of them without an owner. */
  readonly leavePeers: () => Promise<void>;
  /** Shuts out the former owner of a shard; before it, nothing of the shard may be read. */
  readonly raiseFence: (lease: Lease) => Promise<void>;
  readonly onTaken: (lease: Lease) => void;
  readonly onLost: (shard: string) => void;
  /** Called between `onLost` and a planned release: ends the work under way under the lease. */
  readonly settle: (lease: Lease) => Promise<void>;
  /** Between two rounds; ends early when aborted. `isSettled`: it holds every shard, and no other checker is there. */
  readonly pause: (signal: AbortSignal, isSettled: boolean) => Promise<void>;
}

/**
 * Holds the leases of a fair share of the shards of each location: acquires free ones up to the share, and releases the surplus when another checker
 * joins. A share of all locations together would leave the used ones to few checkers.
 * The shards of a dead checker become free when their leases expire.
 */
export class ShardKeeper {
  private readonly held = new Map<string, Lease>();
  private readonly closing = new AbortController();
  private pausing = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: ShardKeeperOptions) {}

  start(): void {
    this.running ??= this.keepBalanced();
  }

  leaseOf(shard: string): Lease | undefined {
    return this.held.get(shard);
  }

  get count(): number {
    return this.held.size;
  }

  get names(): readonly string[] {
    return [...this.held.keys()];
  }

  /** Begins the next round at once: a shard has its first project, or has lost its last one or its lease. */
  balanceNow(): void {
    this.pausing.abort();
  }

  /** Releases all shards; work under a lease sees its signal. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
    await this.options.leavePeers().catch(() => undefined);
    await Promise.all([...this.held.values()].map((lease) => this.release(lease)));
  }

  private async keepBalanced(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      this.pausing = new AbortController();
      // A database error is repeated in the next round; leases that cannot be renewed expire.
      const isSettled = await this.balance().catch(() => false);
      await this.options.pause(AbortSignal.any([signal, this.pausing.signal]), isSettled);
    }
  }

  /** Answers whether it is settled. */
  private async balance(): Promise<boolean> {
    const peersAt = await this.options.countPeers();
    const locations = this.options.locations.map((location) => {
      const shards = this.options.occupied(location);
      return { shards, share: peersAt === null ? 0 : Math.ceil(shards.length / Math.max(1, peersAt(location))) };
    });
    const occupied = new Set(locations.flatMap(({ shards }) => shards));
    const emptied = [...this.held.values()].filter(({ name }) => !occupied.has(name));
    const surplus = [...emptied, ...locations.flatMap(({ shards, share }) => this.heldOf(shards).slice(share))];
    await Promise.all(surplus.map((lease) => this.release(lease)));
    for (const { shards, share } of locations) await this.acquireUpTo(share, shards);
    const isAlone = peersAt !== null && this.options.locations.every((location) => peersAt(location) === 1);
    return isAlone && locations.every(({ shards }) => shards.every((shard) => this.held.has(shard)));
  }

  private heldOf(shards: readonly string[]): readonly Lease[] {
    return shards.flatMap((shard) => this.held.get(shard) ?? []);
  }

  private async acquireUpTo(share: number, shards: readonly string[]): Promise<void> {
    for (const shard of shards) {
      if (this.closing.signal.aborted || this.heldOf(shards).length >= share) return;
      if (!this.held.has(shard)) await this.acquire(shard);
    }
  }

  private async acquire(shard: string): Promise<void> {
    const lease = await this.options.leases.acquire(shard);
    if (lease === null) return;
    try {
      await this.options.raiseFence(lease);
    } catch (error) {
      await lease.release();
      throw error;
    }
    if (lease.signal.aborted) return;
    this.held.set(shard, lease);
    lease.signal.addEventListener('abort', () => {
      if (this.held.get(shard) !== lease) return;
      this.held.delete(shard);
      this.options.onLost(shard);
      this.balanceNow();
    });
    this.options.onTaken(lease);
  }

  private async release(lease: Lease): Promise<void> {
    this.held.delete(lease.name);
    this.options.onLost(lease.name);
    await this.options.settle(lease);
    await lease.release();
  }
}
