import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readSiteUrl } from './site-url.ts';

const url = (raw: string): string | null => {
  const read = readSiteUrl(raw);
  return read.kind === 'valid' ? read.url : null;
};

describe('the address of a site', () => {
  it.each([
    ['https://example.com', 'https://example.com'],
    ['https://example.com/', 'https://example.com/'],
    ['  http://example.com:8080/a?b=c#d ', 'http://example.com:8080/a?b=c'],
    ['example.com', 'https://example.com'],
    ['example.com:8443/x', 'https://example.com:8443/x'],
    ['HTTPS://EXAMPLE.com/Path', 'https://example.com/Path'],
    ['https://münchen.example', 'https://xn--mnchen-3ya.example'],
    ['http://[2001:db8::1]/', 'http://[2001:db8::1]/'],
  ])('reads %s', (raw, expected) => {
    expect(url(raw)).toBe(expected);
  });

  it('is accepted when it is sent back', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ -~ü]{0,200}$/u), fc.constantFrom('', 'a', 'ü'), fc.nat(3000), (path, more, times) => {
        const read = url(`https://example.com/${path.replaceAll(' ', '')}${more.repeat(times)}`);
        if (read !== null) expect(url(read)).toBe(read);
      }),
    );
  });

  it.each([
    ['nothing', ''],
    ['another scheme', 'ftp://example.com'],
    ['a script', 'javascript:alert(1)'],
    ['user information', 'https://user:secret@example.com'],
    ['a bare @', 'https://@example.com'],
    ['a line break that the parser would drop', 'https://exam\nple.com'],
    ['a port out of range', 'https://example.com:99999'],
    ['port 0', 'https://example.com:0'],
    ['white space within', 'https://exam ple.com'],
    ['no host', 'https://'],
    ['a file', 'file:///etc/passwd'],
    ['3000 characters', `https://example.com/${'a'.repeat(3000)}`],
    ['more than it may have once it is written as an address', `https://example.com/${'ü'.repeat(1000)}`],
    ['one slash too few', 'https:/example.com'],
    ['a forgotten colon', 'https//example.com'],
    ['two schemes', 'http://https://example.com'],
    ['slashes that lean the other way', 'http:\\\\example.com'],
  ])('refuses %s', (_, raw) => {
    expect(url(raw)).toBeNull();
  });
});
