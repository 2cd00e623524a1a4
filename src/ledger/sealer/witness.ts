import { setTimeout } from 'node:timers/promises';
import type { LedgerStore } from '../store/ledger-store.ts';

export type WitnessReply =
  | { readonly kind: 'answered'; readonly status: number }
  /** Nothing was answered, or it is an address that the service does not write to. */
  | { readonly kind: 'failed'; readonly reason: string };

export type PostNote = (url: string, note: string) => Promise<WitnessReply>;

export interface WitnessOptions {
  readonly store: Pick<LedgerStore, 'unwitnessed' | 'markWitnessed'>;
  readonly url: string;
  readonly post: PostNote;
  /** After each try that failed. */
  readonly onRefused?: (reason: string) => void;
  readonly lookMs?: number;
  /** Doubled after each further try, up to a minute. */
  readonly firstRetryMs?: number;
}

const LONGEST_RETRY_MS = 60_000;

/**
 * Hands each checkpoint to somebody outside, so that nobody in here can rewrite what was sealed and sign again unseen. In the order of signing, none left
 * out: a witness may hold each against the one before, and the checkpoints around a loss that an operator declared are the ones that matter most.
 */
export async function runWitness(options: WitnessOptions, signal: AbortSignal): Promise<void> {
  const { store, url, post, onRefused, lookMs = 1_000, firstRetryMs = 1_000 } = options;
  const aborted = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => {
      resolve(null);
    });
  });
  let retry = firstRetryMs;
  while (!signal.aborted) {
    const checkpoint = await store.unwitnessed().catch(() => null);
    let pause = lookMs;
    if (checkpoint !== null) {
      // Whoever is ending does not wait for a slow witness: what it took then is sent again, which harms nobody.
      const reply = await Promise.race([post(url, checkpoint.note), aborted]);
      if (reply === null) return;
      const refusal = refusalOf(reply);
      if (refusal === null && (await marked(store, checkpoint.number))) {
        retry = firstRetryMs;
        continue;
      }
      if (refusal !== null) onRefused?.(refusal);
      pause = retry;
      retry = Math.min(2 * retry, LONGEST_RETRY_MS);
    }
    await setTimeout(pause, undefined, { signal }).catch(() => undefined);
  }
}

function refusalOf(reply: WitnessReply): string | null {
  if (reply.kind === 'failed') return reply.reason;
  return reply.status >= 200 && reply.status < 300 ? null : `it answered ${String(reply.status)}`;
}

const marked = (store: WitnessOptions['store'], number: number): Promise<boolean> =>
  store.markWitnessed(number).then(
    () => true,
    () => false,
  );
