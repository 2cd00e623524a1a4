import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Keyring, SealBroken, SubjectErased } from './keyring.ts';

/** The contract suite of every keyring. */
export function keyringContract(keyring: () => Keyring): void {
  it('decrypts any text that it encrypted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 300, size: 'max' }), async (text) => {
        expect(await keyring().open(await keyring().seal('account-1', text))).toBe(text);
      }),
      { numRuns: 30 },
    );
  });

  it('encrypts deterministically for one subject, and differently for each subject', async () => {
    const [first, again, other, elsewhere] = await Promise.all([
      keyring().seal('account-2', 'ada@example.com'),
      keyring().seal('account-2', 'ada@example.com'),
      keyring().seal('account-2', 'ida@example.com'),
      keyring().seal('account-3', 'ada@example.com'),
    ]);
    expect(again).toEqual(first);
    expect(new Set([first.sealed, other.sealed, elsewhere.sealed]).size).toBe(3);
    expect(Buffer.from(first.sealed, 'base64url').includes('ada@example.com')).toBe(false);
  });

  it('answers null for an erased subject, and encrypts nothing more for it', async () => {
    const sealed = await keyring().seal('account-4', 'secret');
    await keyring().erase('account-4');
    await keyring().erase('account-4');
    expect(await keyring().open(sealed)).toBeNull();
    await expect(keyring().seal('account-4', 'again')).rejects.toThrow(SubjectErased);
  });

  it('answers null for an unknown subject', async () => {
    const { sealed } = await keyring().seal('account-5', 'text');
    expect(await keyring().open({ subject: 'account-6', sealed })).toBeNull();
  });

  it('rejects a value that was changed or moved to another subject', async () => {
    const { subject, sealed } = await keyring().seal('account-7', 'text');
    await keyring().seal('account-8', 'text');
    const bytes = Buffer.from(sealed, 'base64url');
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    await expect(keyring().open({ subject, sealed: bytes.toString('base64url') })).rejects.toThrow(SealBroken);
    await expect(keyring().open({ subject: 'account-8', sealed })).rejects.toThrow(SealBroken);
    await expect(keyring().open({ subject, sealed: '' })).rejects.toThrow(SealBroken);
  });
}
