import { pause, repeatUntilAborted } from '../../../kernel/abortable.ts';
import type { Lease } from '../../../platform/postgres/leases.ts';
import type { SealingLease } from '../store/seal-writer.ts';
import { Sealer, type SealerOptions } from './sealer.ts';
import { type Witness, runWitness } from './witness.ts';

export interface SealingLoopOptions extends SealerOptions {
  readonly leases: {
    hold(name: string, signal: AbortSignal, work: (signal: AbortSignal, lease: Lease & SealingLease) => Promise<void>): Promise<void>;
  };
  /** The receiver of each checkpoint. */
  readonly witness?: Witness | undefined;
  /** Asks witnesses to cosign. */
  readonly collector?: { readonly isAsking: boolean; run(signal: AbortSignal): Promise<void> };
  readonly report: (error: unknown) => void;
}

const LEASE = 'sealer';
const RETRY_MS = 1_000;
/** How old the checkpoint may be that a standby would take over with. */
const FOLLOW_MS = 1_000;
/** How long a sealer that takes over waits for the witness. */
const RECALL_MS = 10_000;

/** Runs the sealer under a lease, on one instance at a time, and restarts it after any failure; on the others, follows what it signs. */
export class SealingLoop {
  readonly #options: SealingLoopOptions;
  readonly #closing = new AbortController();
  readonly #sealer: Sealer;
  #isSealing = false;
  #reported: string | null = null;
  #running: Promise<unknown> | undefined;

  constructor(options: SealingLoopOptions) {
    this.#options = options;
    this.#sealer = new Sealer({ ...options, isWitnessing: () => options.collector?.isAsking ?? false });
  }

  start(): void {
    this.#running ??= Promise.all([this.#run(), this.#follow()]);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  #run(): Promise<void> {
    const { leases, report } = this.#options;
    const { signal } = this.#closing;
    return repeatUntilAborted(signal, RETRY_MS, async () => {
      try {
        await leases.hold(LEASE, signal, (held, lease) => this.#seal(held, lease));
      } catch (error) {
        report(error);
      }
    });
  }

  async #seal(held: AbortSignal, lease: SealingLease): Promise<void> {
    const { witness, collector, store, guard } = this.#options;
    const ended = new AbortController();
    const signal = AbortSignal.any([held, ended.signal]);
    this.#isSealing = true;
    const witnessing =
      witness === undefined
        ? undefined
        : runWitness({ store, witness, learn: (note) => guard.learn(note), onRefused: this.#refused }, signal);
    const collecting = collector?.run(signal);
    try {
      // What the witness has decides whether this instance may sign; without an answer it goes by what it knows itself.
      if (witnessing !== undefined) await Promise.race([witnessing.asked, pause(RECALL_MS, signal)]);
      await this.#sealer.run({ signal: held, holds: (transaction) => lease.holds(transaction) });
    } finally {
      this.#isSealing = false;
      ended.abort();
      await Promise.all([witnessing?.ended, collecting]);
    }
  }

  #follow(): Promise<void> {
    return repeatUntilAborted(this.#closing.signal, FOLLOW_MS, async () => {
      if (this.#isSealing) return;
      // While the database is away there is nothing to follow.
      const reason = await this.#options.guard.follow().then(
        (contradiction) => contradiction?.reason ?? null,
        () => this.#reported,
      );
      if (reason !== null && reason !== this.#reported) this.#options.report(new Error(reason));
      this.#reported = reason;
    });
  }

  readonly #refused = (reason: string): void => {
    this.#options.report(new Error(`the witness did not accept the checkpoint: ${reason}`));
  };
}
