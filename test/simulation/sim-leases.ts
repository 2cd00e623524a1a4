import { type Lease, LEASE_TIMES, type Leases } from '../../src/platform/postgres/leases.ts';
import type { Machine, VirtualTime } from './virtual-time.ts';

interface Row {
  epoch: number;
  owner: Machine | null;
  /** Null once the owner released it, or knows that it lost it. */
  kept: AbortController | null;
  /** The last heartbeat; of an owner that can renew it is always now. */
  beat: number;
}

/** The table of leases, with the times of the real one and no timers while all is well. */
export class SimLeaseTable {
  private readonly rows = new Map<string, Row>();
  /** The leases that each machine believes to hold. */
  private readonly believed = new Map<Machine, Set<AbortController>>();

  constructor(private readonly time: VirtualTime) {}

  of(machine: Machine): Pick<Leases, 'acquire'> {
    return { acquire: (name) => this.acquire(machine, name) };
  }

  holds(name: string, epoch: number): boolean {
    const row = this.rows.get(name);
    return row?.epoch === epoch && row.owner !== null;
  }

  ownerOf(name: string): string | null {
    return this.rows.get(name)?.owner?.name ?? null;
  }

  /** Its heartbeats stop from now on. */
  silent(machine: Machine): void {
    for (const row of this.rows.values()) if (row.owner === machine && row.kept !== null) row.beat = this.time.now;
  }

  /** It failed to renew in time. */
  lose(machine: Machine): void {
    for (const row of this.rows.values()) if (row.owner === machine) row.kept = null;
    for (const kept of this.believed.get(machine) ?? []) kept.abort();
    this.believed.delete(machine);
  }

  private async acquire(machine: Machine, name: string): Promise<Lease | null> {
    await Promise.resolve();
    if (!machine.reachesDatabase) throw new Error('the database is away');
    const row = this.rows.get(name) ?? { epoch: 0, owner: null, kept: null, beat: -Infinity };
    if (!this.isFree(row)) return null;
    this.rows.set(name, row);
    const kept = new AbortController();
    this.believed.set(machine, (this.believed.get(machine) ?? new Set()).add(kept));
    const epoch = row.epoch + 1;
    Object.assign(row, { epoch, owner: machine, kept, beat: this.time.now });
    const release = async (): Promise<void> => {
      await Promise.resolve();
      if (row.kept === kept) Object.assign(row, { owner: null, kept: null });
      this.believed.get(machine)?.delete(kept);
      kept.abort();
    };
    return { name, epoch, signal: kept.signal, release };
  }

  private isFree({ owner, kept, beat }: Row): boolean {
    if (owner === null) return true;
    if (kept !== null && owner.reachesDatabase) return false;
    return this.time.now - beat >= LEASE_TIMES.freeMs;
  }
}
