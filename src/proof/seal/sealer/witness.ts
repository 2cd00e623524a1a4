import { pause } from '../../../kernel/abortable.ts';
import type { LedgerStore } from '../store/ledger-store.ts';

export type WitnessReply =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  /** No answer, or an address that the SSRF guard refuses. */
  | { readonly kind: 'failed'; readonly reason: string };

/** An outside party that keeps checkpoints. */
export interface Witness {
  /** `POST`: takes the next checkpoint. */
  readonly send: (note: string) => Promise<WitnessReply>;
  /** `GET`, optional for a witness: the newest checkpoint that it has. */
  readonly recall: () => Promise<WitnessReply>;
}

export interface WitnessOptions {
  readonly store: Pick<LedgerStore, 'unwitnessed' | 'markWitnessed'>;
  readonly witness: Witness;
  /** Called with the newest checkpoint of a witness that answers `GET`, before anything is sent to it. */
  readonly learn: (note: string) => Promise<void>;
  /** Called after each failed attempt. */
  readonly onRefused?: (reason: string) => void;
  readonly pollMs?: number;
  /** Doubled after each further failure, up to a minute. */
  readonly firstRetryMs?: number;
}

export interface RunningWitness {
  /** Resolves after the first attempt to learn what the witness has. */
  readonly asked: Promise<void>;
  readonly ended: Promise<void>;
}

const MAX_RETRY_MS = 60_000;

/**
 * Sends each checkpoint to an outside witness, so that a history that is rewritten and signed again is detectable. In the order of signing and without
 * gaps: a witness may check each against its predecessor, above all around a declared loss.
 */
export function runWitness(options: WitnessOptions, signal: AbortSignal): RunningWitness {
  const { store, witness, onRefused, pollMs = 1_000, firstRetryMs = 1_000 } = options;
  const aborted = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => {
      resolve(null);
    });
  });
  // A shutdown does not wait for a slow witness; asking again, or sending a checkpoint again, is harmless.
  const untilAborted = (reply: Promise<WitnessReply>): Promise<WitnessReply | null> => Promise.race([reply, aborted]);
  /** False while the witness, or the database, does not answer. Every status below 500 is an answer: not every witness implements `GET`. */
  const recall = async (): Promise<boolean> => {
    const reply = await untilAborted(witness.recall());
    if (reply?.kind !== 'answered' || reply.status >= 500) return false;
    return reply.status !== 200 || succeeds(options.learn(reply.body));
  };
  const first = recall();
  const run = async (): Promise<void> => {
    let isAsked = await first;
    let retry = firstRetryMs;
    while (!signal.aborted) {
      const checkpoint = await store.unwitnessed().catch(() => null);
      let waitMs = pollMs;
      if (checkpoint !== null) {
        isAsked ||= await recall();
        const reply = await untilAborted(witness.send(checkpoint.note));
        if (reply === null) return;
        const refusal = refusalOf(reply);
        if (refusal === null && (await succeeds(store.markWitnessed(checkpoint.number)))) {
          retry = firstRetryMs;
          continue;
        }
        if (refusal !== null) onRefused?.(refusal);
        waitMs = retry;
        retry = Math.min(2 * retry, MAX_RETRY_MS);
      }
      await pause(waitMs, signal);
    }
  };
  return { asked: first.then(() => undefined), ended: run() };
}

function refusalOf(reply: WitnessReply): string | null {
  if (reply.kind === 'failed') return reply.reason;
  return reply.status >= 200 && reply.status < 300 ? null : `it answered ${String(reply.status)}`;
}

const succeeds = (done: Promise<void>): Promise<boolean> =>
  done.then(
    () => true,
    () => false,
  );
