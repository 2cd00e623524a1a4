import type pg from 'pg';
import { repeatUntilAborted } from '../../kernel/abortable.ts';
import { DomainError } from '../../kernel/errors.ts';
import type { Lease, Leases } from '../postgres/leases.ts';
import type { Wake } from '../postgres/wake.ts';
import { fillLog, type MirrorSource } from './mirror-fill.ts';

export interface MirrorStatus {
  /** `standby`: another process holds the lease. `failed`: table and store hold different histories, which only an operator can mend. */
  readonly state: 'standby' | 'filling' | 'interrupted' | 'failed';
  readonly reason: string | null;
  /** The last `n` that this process wrote or read, -1 for none. */
  readonly n: number;
}

export interface MirrorOptions {
  readonly source: MirrorSource;
  /** May commit asynchronously: rows lost in a crash are mirrored again, identically. */
  readonly pool: pg.Pool;
  readonly wake: Wake;
  readonly leases: Pick<Leases, 'hold'>;
  readonly report: (error: unknown) => void;
  readonly retryMs?: number;
}

export const MIRROR_LEASE = 'mirror';
const RETRY_MS = 1_000;

/** Leased mirror: one process fills the log from the store, the others are on standby. Any failure is reported and retried, a mismatch in case it was mended. */
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

  private run(): Promise<void> {
    const { leases, report, retryMs = RETRY_MS } = this.options;
    const { signal } = this.closing;
    return repeatUntilAborted(signal, retryMs, async () => {
      try {
        while (!signal.aborted) {
          await leases.hold(MIRROR_LEASE, signal, (held, lease) => this.fill(held, lease));
          this.setState('standby');
        }
      } catch (error) {
        if (this.closing.signal.aborted) return;
        report(error);
        this.setState(isMismatch(error) ? 'failed' : 'interrupted', error instanceof Error ? error.message : String(error));
      }
    });
  }

  private fill(signal: AbortSignal, lease: Lease): Promise<void> {
    const onRows = ({ n }: { n: number }): void => {
      this.current = { state: 'filling', reason: null, n };
    };
    return fillLog({ ...this.options, onRows }, lease, signal);
  }

  private setState(state: MirrorStatus['state'], reason: string | null = null): void {
    this.current = { ...this.current, state, reason };
  }
}

/** Failures that a retry alone cannot mend. */
const isMismatch = (error: unknown): boolean =>
  error instanceof DomainError && (error.code === 'MIRROR_MISMATCH' || error.code === 'STORE_REPLACED');
