import { holdLease, type Lease, LEASE_TIMES, type Leases } from '../../../src/platform/postgres/leases.ts';
import { LocalWake } from '../../../src/platform/postgres/wake.ts';

interface Row {
  epoch: number;
  owner: MemoryLeases | null;
}

/** The table that several instances of a simulation share. */
export class LeaseTable {
  readonly rows = new Map<string, Row>();
  readonly wake = new LocalWake();
}

/** The leases of one instance. A crashed instance holds none. */
export class MemoryLeases implements Leases {
  private readonly held = new Map<string, AbortController>();
  private crashed = false;

  constructor(private readonly table: LeaseTable = new LeaseTable()) {}

  acquire(name: string): Promise<Lease | null> {
    const row: Row = this.table.rows.get(name) ?? { epoch: 0, owner: null };
    if (this.crashed || (row.owner !== null && !row.owner.crashed)) return Promise.resolve(null);
    row.epoch += 1;
    row.owner = this;
    this.table.rows.set(name, row);
    const { epoch } = row;
    const ending = new AbortController();
    this.held.set(name, ending);
    const release = (): Promise<void> => {
      ending.abort(new Error(`the lease ${name} ended`));
      if (row.epoch === epoch && row.owner === this) this.releaseRow(name, row);
      return Promise.resolve();
    };
    return Promise.resolve({ name, epoch, signal: ending.signal, release });
  }

  async hold(name: string, signal: AbortSignal, work: (signal: AbortSignal, lease: Lease) => Promise<void>): Promise<void> {
    const bell = this.table.wake.bell('leases');
    try {
      await holdLease(
        () => this.acquire(name),
        () => bell.wait(LEASE_TIMES.pollMs, signal),
        signal,
        work,
      );
    } finally {
      bell.close();
    }
  }

  /** The check of a fenced write. */
  holds(name: string, epoch: number): boolean {
    const row = this.table.rows.get(name);
    return row?.epoch === epoch && row.owner !== null;
  }

  /** The instance continues without noticing that its leases are free, like a suspended process. */
  crash(): void {
    this.crashed = true;
    this.table.wake.ring('leases');
  }

  close(): Promise<void> {
    for (const [name, ending] of this.held) {
      ending.abort(new Error(`the lease ${name} ended`));
      const row = this.table.rows.get(name);
      if (row?.owner === this) this.releaseRow(name, row);
    }
    return Promise.resolve();
  }

  private releaseRow(name: string, row: Row): void {
    row.owner = null;
    this.held.delete(name);
    this.table.wake.ring('leases');
  }
}
