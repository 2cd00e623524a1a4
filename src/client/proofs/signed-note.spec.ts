import { describe, expect, it } from '@jest/globals';
import { createSigner, signCheckpoint, signNote } from '../../proof/seal/signer.ts';
import { openCheckpoint, parseCheckpoint } from './checkpoint.ts';
import { leafHash } from './merkle-tree.ts';
import { BadVerifierKey, parseNote, parseVerifierKey, signersOf } from './signed-note.ts';

/** The example of Go's sumdb/note, whose format this is. */
const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const ENOCH = 'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop';
const TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const PETER_LINE = '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
const ENOCH_LINE = '— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n';
const PETER_SEED = Buffer.from('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz', 'base64').subarray(1);

const signedBy = (note: string, ...keys: readonly string[]): string | undefined => {
  const parsed = parseNote(note);
  return parsed === null ? undefined : signersOf(parsed, keys.map(parseVerifierKey))[0]?.name;
};

describe('the published example of a signed note', () => {
  const note = `${TEXT}\n${PETER_LINE}${ENOCH_LINE}`;

  it('verifies with either key', () => {
    expect(signedBy(note, PETER)).toBe('PeterNeumann');
    expect(signedBy(note, ENOCH)).toBe('EnochRoot');
  });

  it('equals what our signer writes with the same key', () => {
    const signer = createSigner('PeterNeumann', PETER_SEED);
    expect(signer.verifierKey).toBe(PETER);
    expect(signNote(TEXT, [signer])).toBe(`${TEXT}\n${PETER_LINE}`);
  });

  it('is refused when a bit of its text or signature changed', () => {
    expect(signedBy(note.replace('answer', 'Answer'), PETER, ENOCH)).toBeUndefined();
    expect(signedBy(note.replace('x08go/ZJ', 'x08go/ZK'), PETER)).toBeUndefined();
  });

  it('is refused when the signature of a known key is invalid', () => {
    expect(signedBy(note.replace('x08go/ZJ', 'x08go/ZK'), PETER, ENOCH)).toBeUndefined();
  });
});

describe('a note', () => {
  it.each([
    ['without signatures', `${TEXT}\n`],
    ['without the empty line', `${TEXT}${PETER_LINE}`],
    ['with a control character', `a\tb\n\n${PETER_LINE}`],
    ['without its last line feed', `${TEXT}\n${PETER_LINE.trimEnd()}`],
    ['with another spelling of the same base64', `${TEXT}\n${PETER_LINE.replace('nAM=', 'nAN=')}`],
    ['with a signature that is too short', `${TEXT}\n— PeterNeumann x08g\n`],
    ['with a hyphen for the dash', `${TEXT}\n${PETER_LINE.replace('—', '-')}`],
  ])('%s is none', (_, note) => {
    expect(parseNote(note)).toBeNull();
  });

  it('may hold empty lines in its text', () => {
    const signer = createSigner('quasimodo.example/salvatore', Buffer.alloc(32, 7));
    const text = 'Ognuno sta solo sul cuor della terra\n\ned è subito sera.\n';
    expect(parseNote(signNote(text, [signer]))?.text).toBe(text);
    expect(signedBy(signNote(text, [signer]), signer.verifierKey)).toBe('quasimodo.example/salvatore');
  });
});

it.each([
  ['another name', PETER.replace('Peter', 'Paula')],
  ['another hash', PETER.replace('c74f20a3', 'c74f20a4')],
  ['another kind of key', 'PeterNeumann+c74f20a3+AhpC2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'],
  ['a key that is too short', 'PeterNeumann+c74f20a3+ARpc'],
  ['no parts', 'PeterNeumann'],
])('refuses a verifier key with %s', (_, text) => {
  expect(() => parseVerifierKey(text)).toThrow(BadVerifierKey);
});

describe('a checkpoint', () => {
  const origin = 'watchledger.example/ledger';
  const [old, young] = [createSigner(origin, Buffer.alloc(32, 1)), createSigner(origin, Buffer.alloc(32, 2))];
  const [oldKey, youngKey] = [old, young].map(({ verifierKey }) => parseVerifierKey(verifierKey));
  const checkpoint = { origin, size: 20852163, root: leafHash('root') };

  it('reads the published example', () => {
    expect(parseCheckpoint('example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n')).toEqual({
      origin: 'example.com/behind-the-sofa',
      size: 20852163,
      root: Buffer.from('CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=', 'base64'),
    });
  });

  it('opens with either key during a rotation', () => {
    const note = signCheckpoint(checkpoint, [young, old]);
    for (const key of [oldKey, youngKey]) expect(key && openCheckpoint(note, [key])).toMatchObject({ kind: 'open', checkpoint, key });
  });

  it('does not open with another key or another name', () => {
    expect(oldKey && openCheckpoint(signCheckpoint(checkpoint, [young]), [oldKey])).toEqual({ kind: 'unsigned' });
    const borrowed = signCheckpoint({ ...checkpoint, origin: 'other.example/ledger' }, [old]);
    expect(oldKey && openCheckpoint(borrowed, [oldKey])).toEqual({ kind: 'unsigned' });
  });

  it.each(['a\n01\n', 'a\n-1\n', 'a\n1.0\n', 'a\n\n', '\n1\n', 'a\n9007199254740993\n'])('is not "%s"', (head) => {
    expect(parseCheckpoint(`${head}CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n`)).toBeNull();
  });
});
