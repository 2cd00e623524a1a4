import { setTimeout as sleep } from 'node:timers/promises';
import type { Leases } from './leases.ts';

export interface LoopOptions {
  readonly name: string;
  readonly leases: Pick<Leases, 'hold'>;
  readonly work: (signal: AbortSignal) => Promise<void>;
  readonly report: (error: unknown) => void;
}

const AGAIN_MS = 500;
const AT_MOST_MS = 5_000;
/** Work that went well for so long has nothing to do with the failure before it. */
const WELL_MS = 30_000;

/** One runner over all instances: whoever has the lease works; what goes wrong is reported and tried again. */
export class LeasedLoop {
  private readonly closing = new AbortController();
  private running: Promise<void> | undefined;

  constructor(private readonly options: LoopOptions) {}

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
    let again = AGAIN_MS;
    while (!signal.aborted) {
      const began = performance.now();
      try {
        await leases.hold(name, signal, work);
      } catch (error) {
        if (signal.aborted) return;
        report(error);
        again = performance.now() - began > WELL_MS ? AGAIN_MS : Math.min(again * 2, AT_MOST_MS);
        await sleep(again, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
