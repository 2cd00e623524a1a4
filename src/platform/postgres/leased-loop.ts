import { pause } from '../../kernel/abortable.ts';
import type { Leases } from './leases.ts';
import { isTransientDatabaseError } from './transient-database-error.ts';

export interface LeasedLoopOptions {
  readonly name: string;
  readonly leases: Pick<Leases, 'hold'>;
  readonly work: (signal: AbortSignal) => Promise<void>;
  readonly report: (error: unknown) => void;
}

const RETRY_MS = 500;
const MAX_RETRY_MS = 5_000;
/** After a lost connection: a failover must not be followed by a long pause. */
const MAX_TRANSIENT_RETRY_MS = 1_000;
/** Work that ran longer than this resets the back-off. */
const HEALTHY_MS = 30_000;

/** Runs work in one instance at a time under a leader lease, and retries it after a failure with exponential back-off. */
export class LeasedLoop {
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: LeasedLoopOptions) {}

  get name(): string {
    return this.options.name;
  }

  start(): void {
    this.running ??= this.run();
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { name, leases, work, report } = this.options;
    const { signal } = this.closing;
    let delayMs = RETRY_MS;
    while (!signal.aborted) {
      const startedAt = performance.now();
      try {
        await leases.hold(name, signal, work);
      } catch (error) {
        if (signal.aborted) return;
        report(error);
        delayMs =
          performance.now() - startedAt > HEALTHY_MS
            ? RETRY_MS
            : Math.min(delayMs * 2, isTransientDatabaseError(error) ? MAX_TRANSIENT_RETRY_MS : MAX_RETRY_MS);
        await pause(delayMs, signal);
      }
    }
  }
}
