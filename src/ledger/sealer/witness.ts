import { setTimeout } from 'node:timers/promises';
import type { LedgerStore } from '../store/ledger-store.ts';

/** Sends the text to the address; the status of the answer, or null when there was none. */
export type PostText = (url: string, text: string, signal: AbortSignal) => Promise<number | null>;

export interface WitnessOptions {
  readonly store: LedgerStore;
  readonly url: string;
  readonly post: PostText;
  /** After each try that failed, with the status or null. */
  readonly onRefused?: (status: number | null) => void;
  readonly lookMs?: number;
  /** Doubled after each further try, up to a minute. */
  readonly firstRetryMs?: number;
}

const LONGEST_RETRY_MS = 60_000;

/**
 * Hands each newest checkpoint to somebody outside, so that nobody in here can rewrite what was sealed and sign again unseen. A
 * checkpoint that was overtaken while the witness was away is not sent any more: the newer one commits to the same events and more.
 */
export async function runWitness(options: WitnessOptions, signal: AbortSignal): Promise<void> {
  const { store, url, post, onRefused, lookMs = 1_000, firstRetryMs = 1_000 } = options;
  let retry = firstRetryMs;
  while (!signal.aborted) {
    const checkpoint = await store.unwitnessed().catch(() => null);
    let pause = lookMs;
    if (checkpoint !== null) {
      const status = await post(url, checkpoint.note, signal);
      if (status !== null && status >= 200 && status < 300) {
        await store.markWitnessed(checkpoint.number).catch(() => undefined);
        retry = firstRetryMs;
      } else {
        onRefused?.(status);
        pause = retry;
        retry = Math.min(2 * retry, LONGEST_RETRY_MS);
      }
    }
    await setTimeout(pause, undefined, { signal }).catch(() => undefined);
  }
}
