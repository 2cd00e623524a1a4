import { type OpenedCheckpoint, openCheckpoint } from './checkpoint.ts';
import { parseLeaf } from './leaf.ts';
import { hashFromText, leafHash, strictBase64, verifyInclusion } from './merkle-tree.ts';
import type { VerifierKey } from './signed-note.ts';

export const TLOG_PROOF_HEAD = 'c2sp.org/tlog-proof@v1';

/** An inclusion proof with the leaf that it proves. */
export interface ProvenLeaf {
  readonly index: number;
  readonly leaf: string;
  /** Hashes in base64. */
  readonly path: readonly string[];
  readonly checkpoint: string;
}

/** C2SP tlog-proof. The leaf is the extra data: the file contains everything that is needed to verify it. */
export const formatTlogProof = ({ index, leaf, path, checkpoint }: ProvenLeaf): string =>
  [TLOG_PROOF_HEAD, `extra ${Buffer.from(leaf).toString('base64')}`, `index ${String(index)}`, ...path, '', checkpoint].join('\n');

export type TlogProofVerdict =
  | {
      readonly kind: 'proven';
      readonly leaf: string;
      readonly index: number;
      readonly note: string;
      readonly opened: Extract<OpenedCheckpoint, { kind: 'open' }>;
    }
  | { readonly kind: 'refuted'; readonly reason: string };

/** Whether the leaf in the proof stands in the log that one of the keys signed. The extra data is trusted only because its hash is the proven one. */
export function verifyTlogProof(text: string, keys: readonly VerifierKey[]): TlogProofVerdict {
  const parsed = parseTlogProof(text);
  if (parsed === null)
    return { kind: 'refuted', reason: `the file is not a proof in the form ${TLOG_PROOF_HEAD} with its leaf as extra data` };
  const opened = openCheckpoint(parsed.checkpoint, keys);
  if (opened.kind !== 'open')
    return { kind: 'refuted', reason: `the checkpoint is ${opened.kind === 'malformed' ? 'malformed' : 'not signed by a given key'}` };
  const { leaf, index, path } = parsed;
  if (parseLeaf(leaf)?.n !== index) return { kind: 'refuted', reason: `the extra data is not event ${String(index)}` };
  const { size, root } = opened.checkpoint;
  if (!verifyInclusion(leafHash(leaf), index, size, path, root))
    return { kind: 'refuted', reason: `event ${String(index)} is not in the log in this form` };
  return { kind: 'proven', leaf, index, note: parsed.checkpoint, opened };
}

function parseTlogProof(text: string): { leaf: string; index: number; path: readonly Buffer[]; checkpoint: string } | null {
  const end = text.indexOf('\n\n');
  const [head, extra = '', number = '', ...path] = text.slice(0, Math.max(0, end)).split('\n');
  const leaf = extra.startsWith('extra ') ? strictBase64(extra.slice('extra '.length)) : undefined;
  const [, index] = /^index (0|[1-9]\d{0,15})$/.exec(number) ?? [];
  const hashes = path.map(hashFromText);
  if (head !== TLOG_PROOF_HEAD || leaf === undefined || index === undefined || hashes.includes(undefined)) return null;
  return {
    leaf: leaf.toString(),
    index: Number(index),
    path: hashes.filter((hash) => hash !== undefined),
    checkpoint: text.slice(end + 2),
  };
}
