import { createHash } from 'node:crypto';

const MAX = 100;
const PLAIN = /^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$/;

/** `import:KIND:ID`: the same for the same object of a source, so that a second import finds it again (docs/spec/beyond.md#B11). */
export const importKey = (kind: string, id: string): string => `import:${kind}:${plainId(id)}`;

/** An id as keys write it; one that loses characters gets a hash, because another may lose the same. */
export function plainId(id: string): string {
  if (PLAIN.test(id)) return id;
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 8);
  const text = id
    .toLowerCase()
    .replaceAll(/[^a-z0-9._]+/g, '-')
    .slice(0, MAX - hash.length - 1)
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
  return text === '' ? hash : `${text}-${hash}`;
}

/** The origin of measurements that another product made. */
export const importOrigin = (kind: string): string => `imported:${kind}`;
