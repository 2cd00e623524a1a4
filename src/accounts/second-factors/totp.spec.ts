import { describe, expect, it } from '@jest/globals';
import { base32, matchingStep, newTotpSecret, otpauthUri, stepAt, totpCode } from './totp.ts';

/** Appendix B of RFC 6238, of which these are the last six of eight digits. */
const SECRET = base32(Buffer.from('12345678901234567890'));

describe('one-time codes of authenticator apps', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('computes the codes of RFC 6238 at %i s', (seconds, code) => {
    expect(totpCode(SECRET, stepAt(seconds * 1000))).toBe(code);
  });

  it('encodes secrets as RFC 4648 does', () => {
    expect([base32(Buffer.from('foobar')), base32(Buffer.from('fooba')), base32(Buffer.from('f'))]).toEqual([
      'MZXW6YTBOI',
      'MZXW6YTB',
      'MY',
    ]);
    expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/);
  });

  it('accepts the step before and after, and none farther away', () => {
    const now = 1_700_000_010_000;
    const step = stepAt(now);
    const found = [-2, -1, 0, 1, 2].map((off) => matchingStep(SECRET, totpCode(SECRET, step + off), now));
    expect(found).toEqual([null, step - 1, step, step + 1, null]);
  });

  it('names the account in the address that apps scan', () => {
    expect(otpauthUri('ABC', 'ada+x@example.com')).toBe(
      'otpauth://totp/Watchledger:ada%2Bx%40example.com?secret=ABC&issuer=Watchledger&algorithm=SHA1&digits=6&period=30',
    );
  });
});
