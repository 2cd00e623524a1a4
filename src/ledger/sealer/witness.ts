import { pause } from '../../kernel/abortable.ts';
import type { LedgerStore } from '../store/ledger-store.ts';

export type WitnessReply =
  | { readonly kind: 'answered'; readonly status: number }
  /** No answer, or an address that the SSRF guard refuses. */
  | { readonly kind: 'failed'; readonly reason: string };

export type PostNote = (url: string, note: string) => Promise<WitnessReply>;

export interface WitnessOptions {
  readonly store: Pick<LedgerStore, 'unwitnessed' | 'markWitnessed'>;
  readonly url: string;
  readonly post: PostNote;
  /** Called after each failed attempt. */
  readonly onRefused?: (reason: string) => void;
  readonly pollMs?: number;
  /** Doubled after each further failure, up to a minute. */
  readonly firstRetryMs?: number;
}

const MAX_RETRY_MS = 60_000;

/**
 * Sends each checkpoint to an outside witness, so that a history that is rewritten and signed again is detectable. In the order of signing and without
 * gaps: a witness may check each against its predecessor, above all around a declared loss.
 */
export async function runWitness(options: WitnessOptions, signal: AbortSignal): Promise<void> {
  const { store, url, post, onRefused, pollMs = 1_000, firstRetryMs = 1_000 } = options;
  const aborted = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => {
      resolve(null);
    });
  });
  let retry = firstRetryMs;
  while (!signal.aborted) {
    const checkpoint = await store.unwitnessed().catch(() => null);
    let waitMs = pollMs;
    if (checkpoint !== null) {
      // A shutdown does not wait for a slow witness; sending the checkpoint again is harmless.
      const reply = await Promise.race([post(url, checkpoint.note), aborted]);
      if (reply === null) return;
      const refusal = refusalOf(reply);
      if (refusal === null && (await marked(store, checkpoint.number))) {
        retry = firstRetryMs;
        continue;
      }
      if (refusal !== null) onRefused?.(refusal);
      waitMs = retry;
      retry = Math.min(2 * retry, MAX_RETRY_MS);
    }
    await pause(waitMs, signal);
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
