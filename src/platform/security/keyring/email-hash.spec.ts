import { describe, expect, it } from '@jest/globals';
import { emailHash } from './secrets.ts';

describe('the hash of an e-mail address', () => {
  it('ignores case and surrounding white space, and depends on the secret', () => {
    const secret = Buffer.alloc(32, 1);
    expect(emailHash(secret, ' Ada@Example.COM ')).toBe(emailHash(secret, 'ada@example.com'));
    expect(emailHash(secret, 'ida@example.com')).not.toBe(emailHash(secret, 'ada@example.com'));
    expect(emailHash(Buffer.alloc(32, 2), 'ada@example.com')).not.toBe(emailHash(secret, 'ada@example.com'));
  });
});
