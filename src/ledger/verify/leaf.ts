import { canonicalJson } from './canonical-json.ts';

/** What the seal covers of an event: everything that the log holds of it but its place in the store behind, which may be moved to another store. */
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

/** Leaf `n` of the tree. Encrypted values stand in it as they are stored, so erasing a person breaks no seal. Members added to events elsewhere stay out. */
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
