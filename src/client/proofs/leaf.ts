import { canonicalJson } from './canonical-json.ts';

/** The sealed parts of an event: everything in the log except its position in the underlying store, which may change with a move to another store. */
export interface SealedEvent {
  readonly n: number;
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly version: number;
  readonly scope: string;
  readonly recordedAt: string;
  readonly data: object;
  readonly meta: object;
}

/** Leaf `n` of the Merkle tree. Personal values are sealed as ciphertext, so that crypto-shredding (erasing a person's key) keeps the seal valid. */
export const leafOf = ({ n, id, stream, revision, type, version, scope, recordedAt, data, meta }: SealedEvent): string =>
  canonicalJson({ n, id, stream, revision, type, version, scope, recordedAt, data, meta }, { loneSurrogates: 'escape' });

/** Null when the text is not a leaf in its canonical form. */
export function parseLeaf(leaf: string): SealedEvent | null {
  let value: unknown;
  try {
    value = JSON.parse(leaf);
  } catch {
    return null;
  }
  return isSealedEvent(value) && leafOf(value) === leaf ? value : null;
}

function isSealedEvent(value: unknown): value is SealedEvent {
  if (typeof value !== 'object' || value === null) return false;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  const isCount = (field: unknown): boolean => typeof field === 'number' && Number.isSafeInteger(field) && field >= 0;
  return (
    ['id', 'stream', 'type', 'scope', 'recordedAt'].every((name) => typeof fields[name] === 'string') &&
    ['n', 'revision', 'version'].every((name) => isCount(fields[name])) &&
    ['data', 'meta'].every((name) => typeof fields[name] === 'object' && fields[name] !== null)
  );
}
