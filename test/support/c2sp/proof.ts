import { createHash } from 'node:crypto';
import { type OpenTree, readNote, readTree } from './note.ts';

/** Written from RFC 9162 (sections 2.1.3 and 2.1.4) and C2SP tlog-proof alone, see note.ts. */
const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
export const hashOfLeaf = (leaf: Uint8Array): Buffer => sha256(Uint8Array.of(0), leaf);
const hashOfNode = (left: Uint8Array, right: Uint8Array): Buffer => sha256(Uint8Array.of(1), left, right);

const isOdd = (value: bigint): boolean => (value & 1n) === 1n;

/** RFC 9162, section 2.1.3.2. */
export function isIncluded(leaf: Buffer, index: bigint, path: readonly Buffer[], { size, root }: Pick<OpenTree, 'size' | 'root'>): boolean {
  if (index >= size) return false;
  let [fn, sn, hash] = [index, size - 1n, leaf];
  for (const sibling of path) {
    if (sn === 0n) return false;
    if (isOdd(fn) || fn === sn) {
      hash = hashOfNode(sibling, hash);
      while (!isOdd(fn) && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n];
    } else hash = hashOfNode(hash, sibling);
    [fn, sn] = [fn >> 1n, sn >> 1n];
  }
  return sn === 0n && hash.equals(root);
}

/** RFC 9162, section 2.1.4.2. */
export function isExtended(
  first: Pick<OpenTree, 'size' | 'root'>,
  second: Pick<OpenTree, 'size' | 'root'>,
  given: readonly Buffer[],
): boolean {
  if (first.size === second.size) return given.length === 0 && first.root.equals(second.root);
  if (first.size === 0n || first.size > second.size) return false;
  const isPowerOfTwo = (first.size & (first.size - 1n)) === 0n;
  const [start, ...path] = isPowerOfTwo ? [first.root, ...given] : given;
  if (start === undefined) return false;
  let [fn, sn] = [first.size - 1n, second.size - 1n];
  while (isOdd(fn)) [fn, sn] = [fn >> 1n, sn >> 1n];
  let [fr, sr] = [start, start];
  for (const hash of path) {
    if (sn === 0n) return false;
    if (isOdd(fn) || fn === sn) {
      [fr, sr] = [hashOfNode(hash, fr), hashOfNode(hash, sr)];
      while (!isOdd(fn) && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n];
    } else sr = hashOfNode(sr, hash);
    [fn, sn] = [fn >> 1n, sn >> 1n];
  }
  return sn === 0n && fr.equals(first.root) && sr.equals(second.root);
}

export interface OpenProof {
  readonly leaf: Buffer;
  readonly index: bigint;
  readonly path: readonly Buffer[];
  readonly checkpoint: string;
}

/** C2SP tlog-proof. The leaf is the extra data, which is the choice of this application. */
export function readProof(text: string): OpenProof {
  const at = text.indexOf('\n\n');
  const [head, extra = '', index = '', ...path] = text.slice(0, at).split('\n');
  if (at < 0 || head !== 'c2sp.org/tlog-proof@v1' || !extra.startsWith('extra ') || !/^index (0|[1-9][0-9]*)$/.test(index))
    throw new Error(`not a proof: ${text.slice(0, 80)}`);
  return {
    leaf: Buffer.from(extra.slice(6), 'base64'),
    index: BigInt(index.slice(6)),
    path: path.map((hash) => Buffer.from(hash, 'base64')),
    checkpoint: text.slice(at + 2),
  };
}

/** Whether the leaf of a proof is in the tree of its checkpoint. */
export const isProven = ({ leaf, index, path, checkpoint }: OpenProof): boolean =>
  isIncluded(hashOfLeaf(leaf), index, path, readTree(readNote(checkpoint)));
