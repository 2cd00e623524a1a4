/** The right to do alone, over all instances, what its name says. */
export interface Lease {
  readonly name: string;
  /** Grows with every owner. A write that names it (`WHERE EXISTS (SELECT FROM lease WHERE name = $ AND epoch = $ FOR KEY SHARE)`) fences former owners off. */
  readonly epoch: number;
  /** Aborted when the lease is lost, before it can be anybody else's by time, and when it is given back. */
  readonly signal: AbortSignal;
  release(): Promise<void>;
}

export interface Leases<Held extends Lease = Lease> {
  /** Null while somebody holds it; that may be this very process. */
  acquire(name: string): Promise<Held | null>;
  /** Waits for the lease, does the work, gives the lease back. The work ends soon after its signal: the lease was lost, or `signal` aborted. */
  hold(name: string, signal: AbortSignal, work: (signal: AbortSignal, lease: Held) => Promise<void>): Promise<void>;
  /** Gives back everything. */
  close(): Promise<void>;
}

/** Injection token. */
export const LEASES = Symbol('Leases');

export interface LeaseTimes {
  /** Between two heartbeats. */
  readonly renewMs: number;
  /** An owner who could not renew for so long gives up, before others may take over. */
  readonly lostMs: number;
  /** A lease without a new heartbeat for so long, as the one who waits for it saw it, is free. Nobody's wall clock counts. */
  readonly freeMs: number;
  /** Between two looks of one who waits for a lease; a lease that is given back rings. */
  readonly pollMs: number;
}

export const LEASE_TIMES: LeaseTimes = { renewMs: 2_000, lostMs: 7_000, freeMs: 10_000, pollMs: 500 };

/** The same way to wait for and to use a lease, whatever keeps it. `wait` ends early when a lease was given back. */
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
