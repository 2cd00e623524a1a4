import { type Clock, steadyClock } from '../../../kernel/clock.ts';
import { reasonOf } from '../../../kernel/system-error.ts';

const HANGING_MS = 3_000;
/** Shorter than the time that a part of the readiness has to answer. */
const PROBE_MS = 1_500;

/**
 * Whether writes go through, as the appends of this instance show. Only after one has failed a probe writes, so an idle service writes nothing and an instance
 * that a load balancer avoids recovers.
 */
export class WriteHealth {
  private readonly pending = new Set<{ readonly began: number }>();
  private failure: unknown = null;
  private probing: Promise<void> | null = null;

  constructor(
    private readonly probe: () => Promise<void>,
    private readonly clock: Clock = steadyClock,
  ) {}

  /** `isOutage`: whether a failure is the storage's, not the append's own. */
  async observe<Result>(append: () => Promise<Result>, isOutage: (error: unknown) => boolean): Promise<Result> {
    const pending = { began: this.clock.now() };
    this.pending.add(pending);
    try {
      const result = await append();
      this.failure = null;
      return result;
    } catch (error) {
      if (isOutage(error)) this.failure = error;
      throw error;
    } finally {
      this.pending.delete(pending);
    }
  }

  /** Rejects with the reason when writes do not go through. */
  async check(): Promise<void> {
    const [oldest] = this.pending;
    const waited = oldest === undefined ? 0 : this.clock.now() - oldest.began;
    if (waited > HANGING_MS) throw new Error(`a write has waited ${String(Math.round(waited / 1_000))} s for its commit`);
    if (this.failure === null) return;
    const reason = `the last write failed: ${reasonOf(this.failure)}`;
    this.probing ??= this.probe().finally(() => {
      this.probing = null;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new Error('no answer'));
      }, PROBE_MS);
    });
    try {
      await Promise.race([this.probing, late]);
      this.failure = null;
    } catch {
      throw new Error(reason);
    } finally {
      clearTimeout(timer);
    }
  }
}
