import { createHash, createPublicKey, verify } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createCosigner, createSigner, signCheckpoint } from '../seal/signer.ts';
import { cosignaturesOf } from '../../client/proofs/cosignature.ts';
import { parseNote, parseVerifierKey, parseWitnessKey } from '../../client/proofs/signed-note.ts';
import { formatSubmission, parseSubmission } from './checkpoint-submission.ts';
import { type CosignedTree, LogWitness } from './log-witness.ts';

const ORIGIN = 'shop.example/api/ledger';
const log = createSigner(ORIGIN, Buffer.alloc(32, 1));
const stranger = createSigner(ORIGIN, Buffer.alloc(32, 2));
const cosigner = createCosigner('other.example/api/witness', Buffer.alloc(32, 3));
const witnessKey = parseWitnessKey(cosigner.verifierKey);

// RFC 6962 by hand, without the code under test: leaves a, b, c and the trees over one, two and three of them.
const sha256 = (first: number, ...parts: readonly Buffer[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256').update(Buffer.from([first]))).digest();
const [a, b, c] = ['a', 'b', 'c'].map((leaf) => sha256(0, Buffer.from(leaf))) as [Buffer, Buffer, Buffer];
const ab = sha256(1, a, b);
const abc = sha256(1, ab, c);
const note = (size: number, root: Buffer, signer = log): string => signCheckpoint({ origin: ORIGIN, size, root }, [signer]);

const remembered = new Map<string, CosignedTree>();
let agreed = [log];
let witness: LogWitness;
beforeEach(() => {
  remembered.clear();
  agreed = [log];
  witness = new LogWitness({
    cosigner: () => Promise.resolve(cosigner),
    keysOf: (origin) =>
      Promise.resolve(agreed.filter(({ name }) => name === origin).map(({ verifierKey }) => parseVerifierKey(verifierKey))),
    memory: {
      newest: (origin) => Promise.resolve(remembered.get(origin) ?? null),
      advance: (origin, old, next) => {
        if ((remembered.get(origin)?.size ?? -1) !== (old?.size ?? -1)) return Promise.resolve(false);
        remembered.set(origin, next);
        return Promise.resolve(true);
      },
    },
    now: () => 1_700_000_000,
  });
});
const add = (oldSize: number, proof: readonly Buffer[], checkpoint: string) =>
  witness.addCheckpoint(formatSubmission({ oldSize, proof, note: checkpoint }));
const refused = (code: string) => expect.objectContaining({ code });

describe('a witness', () => {
  it('cosigns in the format of C2SP tlog-cosignature', async () => {
    const answer = await add(0, [], note(1, a));
    const line = answer.kind === 'cosigned' ? answer.cosignatures : '';
    const [, name, encoded = ''] = /^— (\S+) (\S+)\n$/u.exec(line) ?? [];
    const bytes = Buffer.from(encoded, 'base64');
    const rawKey = Buffer.from(cosigner.verifierKey.split('+').slice(2).join('+'), 'base64');
    const id = createHash('sha256').update('other.example/api/witness\n').update(rawKey).digest().subarray(0, 4);
    expect([name, rawKey[0], bytes.subarray(0, 4), bytes.readBigUInt64BE(4)]).toEqual(['other.example/api/witness', 4, id, 1_700_000_000n]);
    const [text = ''] = note(1, a).split('\n\n');
    const key = createPublicKey({
      key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), rawKey.subarray(1)]),
      format: 'der',
      type: 'spki',
    });
    expect(verify(null, Buffer.from(`cosignature/v1\ntime 1700000000\n${text}\n`), key, bytes.subarray(12))).toBe(true);
  });

  it('remembers each origin of a log by itself, and cosigns a later one once its key is agreed', async () => {
    const later = createSigner(`${ORIGIN}/2`, Buffer.alloc(32, 4));
    const cut = signCheckpoint({ origin: later.name, size: 2, root: sha256(1, a, c) }, [later]);
    await add(0, [], note(3, abc));
    await expect(add(0, [], cut)).rejects.toEqual(refused('LOG_NOT_WITNESSED'));
    agreed = [log, later];
    expect(await add(0, [], cut)).toMatchObject({ kind: 'cosigned' });
    expect([remembered.get(ORIGIN)?.size, remembered.get(later.name)?.size]).toEqual([3, 2]);
    // Under the former origin the cut log is another history.
    await expect(add(3, [], note(2, sha256(1, a, c)))).rejects.toEqual(refused('INVALID_INPUT'));
    expect(await add(2, [], note(2, sha256(1, a, c)))).toEqual({ kind: 'other size', size: 3 });
  });

  it('cosigns what extends the checkpoint before it, and the same one again', async () => {
    await add(0, [], note(1, a));
    expect(await add(1, [b], note(2, ab))).toMatchObject({ kind: 'cosigned' });
    expect(await add(2, [], note(2, ab))).toMatchObject({ kind: 'cosigned' });
    expect(await add(2, [c], note(3, abc))).toMatchObject({ kind: 'cosigned' });
    expect(remembered.get(ORIGIN)?.size).toBe(3);
  });

  it('answers its size when the old size is another one, and never goes back', async () => {
    await add(0, [], note(2, ab));
    expect(await add(0, [], note(3, abc))).toEqual({ kind: 'other size', size: 2 });
    expect(await add(1, [], note(1, a))).toEqual({ kind: 'other size', size: 2 });
    expect(remembered.get(ORIGIN)?.size).toBe(2);
  });

  it('does not cosign a fork: another root of the same size, or a proof that does not lead there', async () => {
    await add(0, [], note(2, ab));
    expect(await add(2, [], note(2, abc))).toEqual({ kind: 'other size', size: 2 });
    for (const proof of [[], [a], [c, c]])
      await expect(add(2, proof, note(3, sha256(1, a, c)))).rejects.toEqual(refused('CHECKPOINT_INCONSISTENT'));
    expect(remembered.get(ORIGIN)?.root).toEqual(ab);
  });

  it('cosigns one of two submissions at once', async () => {
    await add(0, [], note(1, a));
    const answers = await Promise.all([add(1, [b], note(2, ab)), add(1, [b, c], note(3, abc))]);
    expect(answers.map(({ kind }) => kind).sort()).toEqual(['cosigned', 'other size']);
  });

  it('refuses unknown logs, other keys and text that is no submission', async () => {
    await expect(
      witness.addCheckpoint(formatSubmission({ oldSize: 0, proof: [], note: note(1, a).replaceAll('shop', 'fork') })),
    ).rejects.toEqual(refused('LOG_NOT_WITNESSED'));
    await expect(add(0, [], note(1, a, stranger))).rejects.toEqual(refused('CHECKPOINT_NOT_TRUSTED'));
    await expect(add(2, [], note(1, a))).rejects.toEqual(refused('INVALID_INPUT'));
    for (const text of ['', 'old 0', 'old 00\n\n' + note(1, a), 'old 0\nx\n\n' + note(1, a), `old 0\n${'A'.repeat(43)}=\n`.repeat(70)])
      await expect(witness.addCheckpoint(text)).rejects.toEqual(refused('INVALID_INPUT'));
  });
});

describe('a submission and a cosignature', () => {
  it('are read as they are written, 63 hashes at most', () => {
    const submission = { oldSize: 1, proof: [b, c], note: note(3, abc) };
    expect(parseSubmission(formatSubmission(submission))).toEqual(submission);
    expect(parseSubmission(formatSubmission({ ...submission, proof: Array.from({ length: 64 }, () => b) }))).toBeNull();
  });

  it('are ignored when any byte of the signature changes, or the key is another', async () => {
    const answer = await add(0, [], note(1, a));
    const line = answer.kind === 'cosigned' ? answer.cosignatures : '';
    const parsed = parseNote(note(1, a) + line);
    const own = parsed?.signatures[1];
    if (parsed === null || own === undefined) throw new Error('no cosignature');
    expect(cosignaturesOf(parsed, [witnessKey])).toEqual([{ key: witnessKey, time: 1_700_000_000 }]);
    for (let at = 0; at < own.signature.length; at++) {
      const signature = Buffer.from(own.signature);
      signature[at] = (signature[at] ?? 0) ^ 1;
      expect(cosignaturesOf({ ...parsed, signatures: [{ ...own, signature }] }, [witnessKey])).toEqual([]);
    }
    const other = createCosigner('other.example/api/witness', Buffer.alloc(32, 9));
    expect(cosignaturesOf(parsed, [parseWitnessKey(other.verifierKey)])).toEqual([]);
  });
});
