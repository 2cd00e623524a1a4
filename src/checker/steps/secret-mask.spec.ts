import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SecretMask } from './secret-mask.ts';

const SECRET = 'eyJhbGciOiJIUzI1NiJ9.abc/"def+&';
const mask = new SecretMask([SECRET]);

describe('a mask of secrets', () => {
  it.each([
    SECRET,
    encodeURIComponent(SECRET),
    JSON.stringify(SECRET).slice(1, -1),
    'eyJhbGciOiJIUzI1NiJ9.abc/&quot;def+&amp;',
    'eyJhbGciOiJIUzI1NiJ9.abc/&#34;def+&#38;',
  ])('replaces the secret in the spellings of urls, JSON and HTML: %s', (spelling) => {
    expect(mask.text(`Expected <${spelling}>, got nothing`)).toBe('Expected <********>, got nothing');
  });

  it('replaces the parts that a shortened sentence shows', () => {
    expect(mask.text(`got "${SECRET.slice(0, 12)}…"`)).toBe('got "********…"');
    expect(mask.text(`got "…${SECRET.slice(5, 20)}…"`)).toBe('got "…********…"');
    expect(mask.text('got "eyJhbGc"')).toBe('got "eyJhbGc"');
  });

  it('leaves no eight characters in a row of any secret', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8, maxLength: 40 }), fc.string(), fc.string(), (secret, before, after) => {
        const masked = new SecretMask([secret]).text(before + secret + after).replaceAll('********', '\uffff');
        for (let at = 0; at + 8 <= secret.length; at++) expect(masked).not.toContain(secret.slice(at, at + 8));
      }),
      { numRuns: 200 },
    );
  });

  it('replaces whole secrets in a page, and keeps a page without any as it is', () => {
    const page = Buffer.from(`<p>${SECRET}</p><a href="?t=${encodeURIComponent(SECRET)}">x</a>\u00e4`);
    expect(Buffer.from(mask.bytes(page)).toString()).toBe('<p>********</p><a href="?t=********">x</a>\u00e4');
    const other = Buffer.from('nothing here');
    expect(mask.bytes(other)).toBe(other);
  });

  it('changes nothing without secrets', () => {
    expect(new SecretMask([]).text('a text')).toBe('a text');
  });
});
