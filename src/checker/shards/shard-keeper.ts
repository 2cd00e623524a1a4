import type { Lease, Leases } from '../../persistence/leases.ts';

export interface ShardKeeperOptions {
  readonly leases: Leases;
  readonly shards: () => readonly string[];
  /** How many checkers share the shards, this one included; null: it takes no part, because nothing that it measured would be believed. */
  readonly peers: () => Promise<number | null>;
  readonly onTaken: (lease: Lease) => void;
  readonly onLost: (name: string) => void;
  /** Between two looks; ends early when aborted. */
  readonly pause: (signal: AbortSignal) => Promise<void>;
}

/**
 * Holds a fair part of the shards: takes what is free up to the part, and gives back what is more when another checker joins.
 * A shard whose holder is gone is free within the time of a lease.
 */
export class ShardKeeper {
  private readonly held = new Map<string, Lease>();
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: ShardKeeperOptions) {}

  start(): void {
    this.running ??= this.run();
  }

  lease(name: string): Lease | undefined {
    return this.held.get(name);
  }

  holds(name: string): boolean {
    return this.held.has(name);
  }

  get count(): number {
    return this.held.size;
  }

  /** Gives everything back. What runs under a lease sees its signal. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
    await Promise.all([...this.held.values()].map((lease) => this.giveBack(lease)));
  }

  private async run(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      await this.look().catch(() => undefined);
      await this.options.pause(signal);
    }
  }

  private async look(): Promise<void> {
    const wanted = this.options.shards();
    const peers = await this.options.peers();
    const part = peers === null ? 0 : Math.ceil(wanted.length / Math.max(1, peers));
    for (const lease of [...this.held.values()]) if (!wanted.includes(lease.name) || this.held.size > part) await this.giveBack(lease);
    for (const name of wanted) {
      if (this.closing.signal.aborted || this.held.size >= part) return;
      if (!this.held.has(name)) await this.take(name);
    }
  }

  private async take(name: string): Promise<void> {
    const lease = await this.options.leases.acquire(name);
    if (lease === null || lease.signal.aborted) return;
    this.held.set(name, lease);
    lease.signal.addEventListener('abort', () => {
      if (this.held.get(name) !== lease) return;
      this.held.delete(name);
      this.options.onLost(name);
    });
    this.options.onTaken(lease);
  }

  private async giveBack(lease: Lease): Promise<void> {
    this.held.delete(lease.name);
    this.options.onLost(lease.name);
    await lease.release();
  }
}
