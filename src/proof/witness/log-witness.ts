import { DomainError, InvalidInput } from '../../kernel/errors.ts';
import type { Cosigner } from '../seal/signer.ts';
import { openCheckpoint, type SealCheckpoint } from '../../client/proofs/checkpoint.ts';
import { EMPTY_ROOT, verifyConsistency } from '../../client/proofs/merkle-tree.ts';
import { parseNote, type VerifierKey } from '../../client/proofs/signed-note.ts';
import { type CheckpointSubmission, parseSubmission } from './checkpoint-submission.ts';

export interface CosignedTree {
  readonly size: number;
  readonly root: Buffer;
}

/** What this witness cosigned last, for each log. */
export interface WitnessMemory {
  /** Stores `next` only while the newest tree of the log is `old` (null: none yet); false when it is another by now. */
  advance(origin: string, old: CosignedTree | null, next: CosignedTree & { readonly note: string }): Promise<boolean>;
  newest(origin: string): Promise<CosignedTree | null>;
}

export interface LogWitnessOptions {
  readonly cosigner: () => Promise<Cosigner>;
  /** The trusted keys of a log by its origin; empty for a log that is not witnessed. */
  readonly keysOf: (origin: string) => Promise<readonly VerifierKey[]>;
  readonly memory: WitnessMemory;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/** `other size`: the newest tree that was cosigned is not the old one of the submission, or has another root. */
export type WitnessAnswer =
  | { readonly kind: 'cosigned'; readonly cosignatures: string }
  | { readonly kind: 'other size'; readonly size: number };

export class LogNotWitnessed extends DomainError {
  readonly code = 'LOG_NOT_WITNESSED';

  constructor() {
    super('This log is not witnessed here.');
  }
}

export class CheckpointNotTrusted extends DomainError {
  readonly code = 'CHECKPOINT_NOT_TRUSTED';

  constructor() {
    super('No trusted key of this log signed the checkpoint.');
  }
}

export class CheckpointInconsistent extends DomainError {
  readonly code = 'CHECKPOINT_INCONSISTENT';

  constructor() {
    super('The consistency proof does not lead from the old size to the checkpoint.');
  }
}

/**
 * Cosigns checkpoints of other logs (C2SP tlog-witness), so that a log cannot show different histories to different readers. A checkpoint is cosigned only
 * when it extends the newest one that was cosigned for its origin.
 */
export class LogWitness {
  constructor(private readonly options: LogWitnessOptions) {}

  async verifierKey(): Promise<string> {
    return (await this.options.cosigner()).verifierKey;
  }

  async addCheckpoint(body: string): Promise<WitnessAnswer> {
    const submission = parseSubmission(body);
    const parsed = submission === null ? null : parseNote(submission.note);
    const [origin = ''] = parsed?.text.split('\n', 1) ?? [];
    if (submission === null || parsed === null) throw new InvalidInput('body: must be a submission of C2SP tlog-witness');
    const keys = await this.options.keysOf(origin);
    if (keys.length === 0) throw new LogNotWitnessed();
    const opened = openCheckpoint(submission.note, keys);
    if (opened.kind === 'malformed') throw new InvalidInput('body: must end with a checkpoint');
    if (opened.kind !== 'open') throw new CheckpointNotTrusted();
    if (submission.oldSize > opened.checkpoint.size) throw new InvalidInput('old: must not be larger than the size of the checkpoint');
    return this.cosign(parsed.text, submission, opened.checkpoint);
  }

  /** The memory moves by compare-and-set before the cosignature is answered: two submissions at once never roll it back. */
  private async cosign(text: string, { oldSize, proof, note }: CheckpointSubmission, next: SealCheckpoint): Promise<WitnessAnswer> {
    const { memory, cosigner, now } = this.options;
    const newest = await memory.newest(next.origin);
    const old = newest ?? { size: 0, root: EMPTY_ROOT };
    const isOtherTree = old.size === next.size && !old.root.equals(next.root);
    if (oldSize !== old.size || (newest !== null && isOtherTree)) return { kind: 'other size', size: old.size };
    if (!verifyConsistency(old, next, proof)) throw new CheckpointInconsistent();
    if (!(await memory.advance(next.origin, newest, { size: next.size, root: next.root, note }))) {
      return { kind: 'other size', size: (await memory.newest(next.origin))?.size ?? 0 };
    }
    return { kind: 'cosigned', cosignatures: (await cosigner()).cosignatureLine(text, now()) };
  }
}
