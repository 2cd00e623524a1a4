import { repeatUntilAborted } from '../../kernel/abortable.ts';
import type { Lease } from '../../persistence/leases.ts';
import type { SealingLease } from '../store/seal-writer.ts';
import { Sealer, type SealerOptions } from './sealer.ts';
import { type PostNote, runWitness } from './witness.ts';

export interface SealingLoopOptions extends SealerOptions {
  readonly leases: {
    hold(name: string, signal: AbortSignal, work: (signal: AbortSignal, lease: Lease & SealingLease) => Promise<void>): Promise<void>;
  };
  /** The receiver of each checkpoint. */
  readonly witness?: { readonly url: string; readonly post: PostNote } | undefined;
  readonly report: (error: unknown) => void;
}

const LEASE = 'sealer';
const RETRY_MS = 1_000;

/** Runs the sealer under a lease, on one instance at a time, and restarts it after any failure. */
export class SealingLoop {
  readonly #options: SealingLoopOptions;
  readonly #closing = new AbortController();
  readonly #sealer: Sealer;
  #running: Promise<void> | undefined;

  constructor(options: SealingLoopOptions) {
    this.#options = options;
    this.#sealer = new Sealer(options);
  }

  start(): void {
    this.#running ??= this.#run();
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
    const { witness, store } = this.#options;
    const ended = new AbortController();
    const signal = AbortSignal.any([held, ended.signal]);
    const witnessing = witness === undefined ? undefined : runWitness({ store, ...witness, onRefused: this.#refused }, signal);
    try {
      await this.#sealer.run({ signal: held, holds: (transaction) => lease.holds(transaction) });
    } finally {
      ended.abort();
      await witnessing;
    }
  }

  readonly #refused = (reason: string): void => {
    this.#options.report(new Error(`the witness did not accept the checkpoint: ${reason}`));
  };
}
