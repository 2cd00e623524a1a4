import { hashFromText, hashToText } from '../../client/proofs/merkle-tree.ts';

/** The body of `add-checkpoint` (C2SP tlog-witness). */
export interface CheckpointSubmission {
  /** The size of the newest checkpoint that the witness cosigned; 0 when there is none. */
  readonly oldSize: number;
  /** From the old size to that of the checkpoint. */
  readonly proof: readonly Buffer[];
  readonly note: string;
}

const MAX_PROOF_LINES = 63;

export const formatSubmission = ({ oldSize, proof, note }: CheckpointSubmission): string =>
  [`old ${String(oldSize)}`, ...proof.map(hashToText), '', note].join('\n');

/** Null when the text is not a submission. */
export function parseSubmission(text: string): CheckpointSubmission | null {
  const end = text.indexOf('\n\n');
  if (end < 0) return null;
  const [first = '', ...lines] = text.slice(0, end).split('\n');
  const [, size] = /^old (0|[1-9]\d{0,15})$/.exec(first) ?? [];
  const hashes = lines.map(hashFromText);
  const proof = hashes.filter((hash) => hash !== undefined);
  if (size === undefined || !Number.isSafeInteger(Number(size)) || proof.length < hashes.length || proof.length > MAX_PROOF_LINES)
    return null;
  return { oldSize: Number(size), proof, note: text.slice(end + 2) };
}
