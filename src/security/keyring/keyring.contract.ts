import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Keyring, SealBroken, SubjectErased } from './keyring.ts';

/** What every keyring promises. */
export function keyringContract(keyring: () => Keyring): void {
  it('opens what it sealed, whatever the text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 300, size: 'max' }), async (text) => {
        expect(await keyring().open(await keyring().seal('account-1', text))).toBe(text);
      }),
      { numRuns: 30 },
    );
  });

  it('seals the same text of one subject to the same value, and of another subject to another', async () => {
    const [first, again, other, elsewhere] = await Promise.all([
      keyring().seal('account-2', 'ada@example.com'),
      keyring().seal('account-2', 'ada@example.com'),
      keyring().seal('account-2', 'ida@example.com'),
      keyring().seal('account-3', 'ada@example.com'),
    ]);
    expect(again).toEqual(first);
    expect(new Set([first.sealed, other.sealed, elsewhere.sealed]).size).toBe(3);
    expect(first.sealed).not.toContain('ada');
  });

  it('answers null for an erased subject, and seals nothing for it any more', async () => {
    const sealed = await keyring().seal('account-4', 'secret');
    await keyring().erase('account-4');
    await keyring().erase('account-4');
    expect(await keyring().open(sealed)).toBeNull();
    await expect(keyring().seal('account-4', 'again')).rejects.toThrow(SubjectErased);
  });

  it('answers null for a subject that it never knew', async () => {
    const { sealed } = await keyring().seal('account-5', 'text');
    expect(await keyring().open({ subject: 'account-6', sealed })).toBeNull();
  });

  it('refuses a value that was changed or moved to another subject', async () => {
    const { subject, sealed } = await keyring().seal('account-7', 'text');
    await keyring().seal('account-8', 'text');
    const bytes = Buffer.from(sealed, 'base64url');
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    await expect(keyring().open({ subject, sealed: bytes.toString('base64url') })).rejects.toThrow(SealBroken);
    await expect(keyring().open({ subject: 'account-8', sealed })).rejects.toThrow(SealBroken);
    await expect(keyring().open({ subject, sealed: '' })).rejects.toThrow(SealBroken);
  });
}
