import { describe, expect, it } from '@jest/globals';
import { cosignedAt, isSignedBy, readNote, readTree, readVkey } from '../../../test/support/c2sp/note.ts';
import { hashOfLeaf, isExtended, isIncluded, isProven, readProof } from '../../../test/support/c2sp/proof.ts';
import { sampleEvents, sealed, signer } from '../../../test/support/sealed-log.ts';
import { createCosigner, createSigner } from '../../proof/seal/signer.ts';
import { leafOf } from './leaf.ts';
import { formatTlogProof } from './tlog-proof.ts';

const COUNT = 300;
const events = sampleEvents(COUNT);
const log = sealed(events);
const cosigner = createCosigner('witness.example', Buffer.alloc(32, 5));
const [text = ''] = log.checkpoint.note.split('\n\n');
const note = log.checkpoint.note + cosigner.cosignatureLine(`${text}\n`, 1_700_000_000);
const leaves = events.map(leafOf);
const leaf = (n: number): string => leaves[n] ?? '';
const hash = (path: readonly Buffer[]): string[] => path.map((one) => one.toString('base64'));

describe('an independent implementation of the C2SP formats', () => {
  it('accepts our checkpoints, keys and cosignatures, and refuses each with one bit changed', () => {
    const [logKey, witnessKey] = [readVkey(signer.verifierKey), readVkey(cosigner.verifierKey)];
    const opened = readNote(note);
    expect([isSignedBy(opened, logKey), cosignedAt(opened, witnessKey)]).toEqual([true, 1_700_000_000n]);
    expect(readTree(opened)).toEqual({ origin: signer.name, size: BigInt(COUNT), root: log.checkpoint.root });
    // A key of the other type, and another key of the same name.
    expect([isSignedBy(opened, witnessKey), cosignedAt(opened, logKey)]).toEqual([false, null]);
    expect(isSignedBy(opened, readVkey(createSigner(signer.name, Buffer.alloc(32, 9)).verifierKey))).toBe(false);
    const bytes = Buffer.from(note);
    const accepted = Array.from(bytes, (byte, at) => {
      const changed = Buffer.from(bytes);
      changed[at] = byte ^ 1;
      try {
        const again = readNote(changed.toString());
        return isSignedBy(again, logKey) && cosignedAt(again, witnessKey) !== null;
      } catch {
        return false;
      }
    });
    expect(accepted.indexOf(true)).toBe(-1);
  });

  it('accepts the inclusion proof of every event, and refuses it for another event', async () => {
    const tree = readTree(readNote(note));
    for (let n = 0; n < COUNT; n++) {
      const path = await log.tree.inclusion(n, COUNT);
      expect([n, isIncluded(hashOfLeaf(Buffer.from(leaf(n))), BigInt(n), path, tree)]).toEqual([n, true]);
      expect(isIncluded(hashOfLeaf(Buffer.from(leaf(n))), BigInt((n + 1) % COUNT), path, tree)).toBe(false);
      expect(isIncluded(hashOfLeaf(Buffer.from(leaf((n + 1) % COUNT))), BigInt(n), path, tree)).toBe(false);
    }
  });

  it('accepts the consistency proofs between sizes, and refuses them for another root', async () => {
    for (const [first, second] of [
      ...Array.from({ length: COUNT }, (_, n) => [n + 1, COUNT] as const),
      ...Array.from({ length: 40 }, (_, n) => [1 + (n % 7), 8 + n] as const),
    ]) {
      const [path, one, other] = await Promise.all([log.tree.consistency(first, second), log.tree.root(first), log.tree.root(second)]);
      const smaller = { size: BigInt(first), root: one };
      expect([first, second, isExtended(smaller, { size: BigInt(second), root: other }, path)]).toEqual([first, second, true]);
      expect(isExtended({ ...smaller, root: Buffer.alloc(32) }, { size: BigInt(second), root: other }, path)).toBe(false);
    }
  });

  it('accepts our tlog-proof files', async () => {
    for (const n of [0, 1, 255, 256, COUNT - 1]) {
      const path = hash(await log.tree.inclusion(n, COUNT));
      const proof = readProof(formatTlogProof({ index: n, leaf: leaf(n), path, checkpoint: note }));
      expect([proof.leaf.toString(), isProven(proof)]).toEqual([leaf(n), true]);
      expect(isProven({ ...proof, leaf: Buffer.from(`${leaf(n)} `) })).toBe(false);
    }
  });
});
