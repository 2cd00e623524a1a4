import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Lease, Leases } from '../persistence/leases.ts';
import type { Wake } from '../persistence/wake.ts';
import { DomainError } from '../kernel/errors.ts';
import { fill, type MirrorSource } from './mirror-tenure.ts';

export interface MirrorStatus {
  /** `standby`: another process fills the log. `failed`: table and store do not fit together, which only an operator can mend. */
  readonly state: 'standby' | 'filling' | 'interrupted' | 'failed';
  readonly reason: string | null;
  /** The last `n` that this process wrote or found, -1 for none. */
  readonly n: number;
}

export interface MirrorOptions {
  readonly source: MirrorSource;
  /** Its commits need not wait for the disk: what a crash takes comes again, the same. */
  readonly pool: pg.Pool;
  readonly wake: Wake;
  readonly leases: Pick<Leases, 'hold'>;
  readonly report: (error: unknown) => void;
  readonly againMs?: number;
}

export const MIRROR_LEASE = 'mirror';
const AGAIN_MS = 1_000;

/** One process of all fills the log from the store; the others stand by. Trouble is reported and tried again, a mismatch too, in case it was mended. */
export class Mirror {
  private current: MirrorStatus = { state: 'standby', reason: null, n: -1 };
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: MirrorOptions) {}

  get status(): MirrorStatus {
    return this.current;
  }

  start(): void {
    this.running ??= this.run();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { leases, report, againMs = AGAIN_MS } = this.options;
    const { signal } = this.closing;
    while (!signal.aborted) {
      try {
        await leases.hold(MIRROR_LEASE, signal, (held, lease) => this.fill(held, lease));
        this.become('standby');
      } catch (error) {
        if (this.closing.signal.aborted) return;
        report(error);
        this.become(isMismatch(error) ? 'failed' : 'interrupted', error instanceof Error ? error.message : String(error));
        await sleep(againMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  private fill(signal: AbortSignal, lease: Lease): Promise<void> {
    const onRows = ({ n }: { n: number }): void => {
      this.current = { state: 'filling', reason: null, n };
    };
    return fill({ ...this.options, onRows }, lease, signal);
  }

  private become(state: MirrorStatus['state'], reason: string | null = null): void {
    this.current = { ...this.current, state, reason };
  }
}

/** What is not about a store or a database that is away for a while: ours, and the store's own word that it is another one. */
const isMismatch = (error: unknown): boolean =>
  error instanceof DomainError && (error.code === 'MIRROR_MISMATCH' || error.code === 'STORE_REPLACED');
