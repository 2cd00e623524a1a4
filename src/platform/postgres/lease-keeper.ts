import { setMaxListeners } from 'node:events';
import type { LeaseTimes } from './leases.ts';

interface Held {
  readonly name: string;
  readonly epoch: number;
}

interface Kept extends Held {
  readonly lost: AbortController;
  /** When the last successful heartbeat was sent, by a monotonic clock. */
  renewed: number;
}

/** Sends the heartbeats of all leases of a process in one statement, and drops leases that could not be renewed in time. */
export class LeaseKeeper {
  private readonly kept = new Map<string, Kept>();
  private readonly timer: NodeJS.Timeout;
  private renewing: Promise<void> | undefined;

  constructor(
    private readonly times: Pick<LeaseTimes, 'renewMs' | 'lostMs'>,
    private readonly renew: (held: readonly Held[]) => Promise<readonly string[]>,
  ) {
    this.timer = setInterval(() => {
      this.tick();
    }, times.renewMs / 4);
    this.timer.unref();
  }

  keep(held: Held, renewed: number): AbortSignal {
    // Acquired anew before the loss was noticed: the former lease ends.
    this.drop(held.name);
    const lost = new AbortController();
    // All work under a lease listens to this signal: many listeners are not a leak.
    setMaxListeners(0, lost.signal);
    this.kept.set(held.name, { ...held, lost, renewed });
    return lost.signal;
  }

  /** False when it was lost or dropped before; with an epoch, also when the lease has another one. */
  drop(name: string, epoch?: number): boolean {
    const kept = this.kept.get(name);
    if (kept === undefined || (epoch !== undefined && kept.epoch !== epoch)) return false;
    this.kept.delete(name);
    kept.lost.abort(new Error(`the lease ${name} ended`));
    return true;
  }

  held(): readonly Held[] {
    return [...this.kept.values()];
  }

  renewNow(): void {
    if (this.kept.size > 0) this.renewing ??= this.heartbeat().finally(() => (this.renewing = undefined));
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    for (const name of [...this.kept.keys()]) this.drop(name);
    await this.renewing;
  }

  private tick(): void {
    const now = performance.now();
    for (const { name, renewed } of [...this.kept.values()]) if (now - renewed >= this.times.lostMs) this.drop(name);
    if ([...this.kept.values()].some(({ renewed }) => now - renewed >= this.times.renewMs)) this.renewNow();
  }

  private async heartbeat(): Promise<void> {
    const asked = [...this.kept.values()];
    const sent = performance.now();
    try {
      const renewed = new Set(await this.renew(asked));
      for (const kept of asked) {
        if (this.kept.get(kept.name) !== kept) continue;
        if (renewed.has(kept.name)) kept.renewed = sent;
        else this.drop(kept.name);
      }
    } catch {
      // The database is unavailable: `tick` drops what is not renewed in time.
    }
  }
}
