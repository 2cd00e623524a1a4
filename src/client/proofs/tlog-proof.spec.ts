import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { sampleEvents } from '../../../test/support/sealed-log.ts';
import { createSigner, signCheckpoint } from '../../proof/seal/signer.ts';
import { leafOf } from './leaf.ts';
import { parseVerifierKey } from './signed-note.ts';
import { formatTlogProof, verifyTlogProof } from './tlog-proof.ts';

const signer = createSigner('watchledger.example/log', Buffer.alloc(32, 7));
const keys = [parseVerifierKey(signer.verifierKey)];
const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

/** A tree of three leaves, hashed here by RFC 6962 without the code under test: the third leaf is a right child of the root. */
const leaves = sampleEvents(3).map(leafOf);
const [first, second, third] = leaves.map((leaf) => sha256(Buffer.from([0]), leaf));
const node = (left?: Buffer, right?: Buffer): Buffer => sha256(Buffer.from([1]), left ?? '', right ?? '');
const checkpoint = signCheckpoint({ origin: signer.name, size: 3, root: node(node(first, second), third) }, [signer]);
const proofOf = (index: number, ...path: readonly (Buffer | undefined)[]): string =>
  formatTlogProof({ index, leaf: leaves[index] ?? '', path: path.map((hash) => hash?.toString('base64') ?? ''), checkpoint });

describe('a proof in the form of C2SP tlog-proof', () => {
  it('has the lines of the format: head, extra, index, hashes from the leaf upwards, checkpoint', () => {
    const lines = proofOf(1, first, third).split('\n');
    expect(lines.slice(0, 6)).toEqual([
      'c2sp.org/tlog-proof@v1',
      `extra ${Buffer.from(leaves[1] ?? '').toString('base64')}`,
      'index 1',
      first?.toString('base64'),
      third?.toString('base64'),
      '',
    ]);
    expect(lines.slice(6).join('\n')).toBe(checkpoint);
  });

  it('proves each event of a tree', () => {
    const proofs = [proofOf(0, second, third), proofOf(1, first, third), proofOf(2, node(first, second))];
    for (const [index, proof] of proofs.entries())
      expect(verifyTlogProof(proof, keys)).toMatchObject({ kind: 'proven', index, leaf: leaves[index] });
  });

  it('is refuted when any byte of it changes, and under another key', () => {
    const proof = Buffer.from(proofOf(1, first, third));
    for (let at = 0; at < proof.length; at++) {
      const changed = Buffer.from(proof);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect([at, verifyTlogProof(changed.toString(), keys).kind]).toEqual([at, 'refuted']);
    }
    const other = createSigner(signer.name, Buffer.alloc(32, 8));
    expect(verifyTlogProof(proof.toString(), [parseVerifierKey(other.verifierKey)])).toMatchObject({ kind: 'refuted' });
  });

  it('is refuted with the checkpoint of a fork or of another log, although their keys are given', () => {
    const proof = proofOf(1, first, third);
    const other = createSigner('other.example/log', Buffer.alloc(32, 8));
    const root = node(node(first, third), second);
    for (const by of [signer, other]) {
      const foreign = proof.replace(checkpoint, signCheckpoint({ origin: by.name, size: 3, root }, [by]));
      expect(verifyTlogProof(foreign, [...keys, parseVerifierKey(other.verifierKey)])).toEqual({
        kind: 'refuted',
        reason: 'event 1 is not in the log in this form',
      });
    }
  });

  it('is refuted when it is cut off or empty, has no leaf, or has one hash too many', () => {
    const proof = proofOf(1, first, third);
    const wrong = [proof.slice(0, -1), '', proof.replace(/extra .*\n/, ''), proofOf(1, first, third, third), proofOf(1, first)];
    for (const text of wrong) expect(verifyTlogProof(text, keys).kind).toBe('refuted');
  });
});
