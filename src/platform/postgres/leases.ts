/** Longer than a restart of an instance or of the process of a package takes. */
export const STOPPED_SECONDS = 30;

/** SQL: whether an instance holds the lease that the expression names, or did so a moment ago. */
export const isRecentlyHeld = (name: string): string =>
  `EXISTS (SELECT FROM lease WHERE lease.name = ${name} AND heartbeat > clock_timestamp() - interval '${String(STOPPED_SECONDS)} seconds')`;

/** A leader lease: the exclusive right, over all instances, to the work that its name stands for. */
export interface Lease {
  readonly name: string;
  /** The fencing token, which grows with every owner. A write that names it (`WHERE EXISTS (SELECT FROM lease WHERE name = $ AND epoch = $ FOR KEY SHARE)`) fences off former owners. */
  readonly epoch: number;
  /** Aborted when the lease is released, and when it is lost, before another instance may acquire it by time. */
  readonly signal: AbortSignal;
  release(): Promise<void>;
}

export interface Leases<Held extends Lease = Lease> {
  /** Null while it is held, also by this process. */
  acquire(name: string): Promise<Held | null>;
  /** Waits for the lease, does the work, releases the lease. The work must end soon after its signal: the lease was lost, or `signal` aborted. */
  hold(name: string, signal: AbortSignal, work: (signal: AbortSignal, lease: Held) => Promise<void>): Promise<void>;
  /** Releases all leases. */
  close(): Promise<void>;
}

/** Injection token. */
export const LEASES = Symbol('Leases');

export interface LeaseTimes {
  /** Between two heartbeats. */
  readonly renewMs: number;
  /** An owner that could not renew for so long considers the lease lost, before others may take over. */
  readonly lostMs: number;
  /** A lease is free when the waiting instance has observed no new heartbeat for so long, by its monotonic clock. */
  readonly freeMs: number;
  /** Between two attempts of an instance that waits; a released lease rings. */
  readonly pollMs: number;
}

export const LEASE_TIMES: LeaseTimes = { renewMs: 2_000, lostMs: 7_000, freeMs: 10_000, pollMs: 500 };

/** Waiting for and using a lease, independent of its store. `wait` ends early when a lease was released. */
export async function holdLease<Held extends Lease>(
  acquire: () => Promise<Held | null>,
  wait: () => Promise<unknown>,
  signal: AbortSignal,
  work: (signal: AbortSignal, lease: Held) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const lease = await acquire();
    if (lease === null) {
      await wait();
      continue;
    }
    try {
      if (!signal.aborted) await work(AbortSignal.any([signal, lease.signal]), lease);
    } finally {
      await lease.release();
    }
    return;
  }
}
