import { CHECKPOINT_SIGNED } from '../seal/sealer/sealer.ts';
import type { Wake } from '../../platform/postgres/wake.ts';
import type { LedgerStore, StoredCheckpoint } from '../seal/store/ledger-store.ts';
import { cosignaturesOf } from '../../client/proofs/cosignature.ts';
import { formatSignature, parseNote, type VerifierKey } from '../../client/proofs/signed-note.ts';
import { TileTree } from '../../client/proofs/tile-tree.ts';
import { formatSubmission } from './checkpoint-submission.ts';
import type { CosignatureStore } from './cosignature-store.ts';
import type { WitnessPeer } from './witness-peers.ts';

export type SubmissionReply =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  | { readonly kind: 'failed'; readonly reason: string };

export interface CosignatureCollectorOptions {
  readonly store: Pick<LedgerStore, 'currentCheckpoint' | 'readTiles'>;
  readonly cosignatures: CosignatureStore;
  readonly peers: () => Promise<readonly WitnessPeer[]>;
  readonly wake: Pick<Wake, 'ring' | 'bell'>;
  /** Posts to `<url>/add-checkpoint`. */
  readonly submit: (url: string, body: string) => Promise<SubmissionReply>;
  /** Once per witness and reason, until it cosigns again. */
  readonly report: (url: string, reason: string) => void;
  readonly pollMs?: number;
  /** Doubled after each further failure, up to a minute. */
  readonly firstRetryMs?: number;
}

const POLL_MS = 1_000;
/** Without witnesses: the delay until a first agreement takes effect. */
const WITHOUT_WITNESS_MS = 10_000;
const RETRY_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Milliseconds of pauses and the last report, for one witness. */
interface WitnessState {
  /** True until the witness has answered. */
  isAsked: boolean;
  pauseMs: number;
  notBefore: number;
  reported: string | null;
}

/**
 * Asks each witness to cosign the newest checkpoint (C2SP tlog-witness), on the instance that seals. Never part of sealing: a witness that is slow, lies or
 * refuses holds up nothing.
 */
export class CosignatureCollector {
  private readonly states = new Map<string, WitnessState>();

  constructor(private readonly options: CosignatureCollectorOptions) {}

  get isAsking(): boolean {
    return [...this.states.values()].some(({ isAsked }) => isAsked);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { pollMs = POLL_MS, wake } = this.options;
    const bell = wake.bell(CHECKPOINT_SIGNED);
    while (!signal.aborted) {
      const witnesses = await this.witnesses();
      // Neither the others nor a stop wait for a slow witness: submitting again is harmless.
      for (const witness of witnesses) void this.ask(witness, signal);
      await bell.wait(witnesses.length === 0 ? WITHOUT_WITNESS_MS : pollMs, signal);
    }
    bell.close();
  }

  /** Asks every witness that has not cosigned the newest checkpoint and is not paused, and waits for their answers. */
  async round(signal = new AbortController().signal): Promise<void> {
    await Promise.all((await this.witnesses()).map((witness) => this.ask(witness, signal)));
  }

  private async witnesses(): Promise<readonly WitnessPeer[]> {
    // A database that does not answer is reported by the sealer.
    const peers = await this.options.peers().catch(() => []);
    return peers.filter(({ witnessKey }) => witnessKey !== null);
  }

  private async ask({ url, witnessKey }: WitnessPeer, signal: AbortSignal): Promise<void> {
    const state = this.states.get(url) ?? { isAsked: false, pauseMs: 0, notBefore: 0, reported: null };
    this.states.set(url, state);
    if (witnessKey === null || state.isAsked || performance.now() < state.notBefore) return;
    const { report, firstRetryMs = RETRY_MS } = this.options;
    state.isAsked = true;
    let reason: string | null | undefined = null;
    // While it took its time, a newer checkpoint may have been signed.
    while (reason === null && !signal.aborted) reason = await this.cosign(url, witnessKey).catch((error: unknown) => String(error));
    reason ??= null;
    state.isAsked = false;
    state.pauseMs = reason === null ? 0 : Math.min(LONGEST_PAUSE_MS, Math.max(firstRetryMs, 2 * state.pauseMs));
    state.notBefore = performance.now() + state.pauseMs;
    if (reason !== null && reason !== state.reported) report(url, reason);
    state.reported = reason;
  }

  /** Null when it cosigned the newest checkpoint now, undefined when it had before, else why it did not. */
  private async cosign(url: string, key: VerifierKey): Promise<string | null | undefined> {
    const { store, cosignatures, wake } = this.options;
    const checkpoint = await store.currentCheckpoint();
    if (checkpoint === null || (await cosignatures.has(checkpoint.number, key.text))) return undefined;
    let reply = await this.send(
      url,
      checkpoint,
      Math.min(checkpoint.size, await cosignatures.sizeKnownTo(key.text, checkpoint.generation)),
    );
    if (reply.kind === 'answered' && reply.status === 409) {
      const known = sizeIn(reply.body);
      if (known === null) return 'it answered 409 without a size';
      if (known > checkpoint.size)
        return `it has cosigned ${String(known)} events, this log has signed ${String(checkpoint.size)}: events are lost, or the witness lies`;
      reply = await this.send(url, checkpoint, known);
    }
    if (reply.kind === 'failed') return reply.reason;
    if (reply.status !== 200) return refusal(reply.status);
    const note = parseNote(checkpoint.note + reply.body);
    const [cosignature] = note === null ? [] : cosignaturesOf(note, [key]);
    const signed = note?.signatures.find(({ name, keyId }) => name === key.name && keyId === key.keyId);
    if (cosignature === undefined || signed === undefined) return 'its answer holds no valid cosignature under the agreed key';
    await cosignatures.add(checkpoint.number, key.text, formatSignature(signed));
    wake.ring(CHECKPOINT_SIGNED);
    return null;
  }

  private async send(url: string, { size, note }: StoredCheckpoint, oldSize: number): Promise<SubmissionReply> {
    const tree = new TileTree(this.options.store.readTiles);
    const proof = oldSize === 0 || oldSize === size ? [] : await tree.consistency(oldSize, size);
    return this.options.submit(url, formatSubmission({ oldSize, proof, note }));
  }
}

const sizeIn = (body: string): number | null => (/^(0|[1-9]\d{0,15})\n?$/.test(body) ? Number(body) : null);

const REFUSALS: Readonly<Record<number, string>> = {
  403: 'it does not trust a key of this log',
  404: 'it does not witness this log',
  409: 'it has cosigned another history of the same size',
  422: 'it has cosigned events that this log does not lead to',
};
const refusal = (status: number): string => `${REFUSALS[status] ?? 'it refused the checkpoint'} (${String(status)})`;
