import { describe, expect, it } from '@jest/globals';
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
  ])('refuses %s', (_, raw) => {
    expect(url(raw)).toBeNull();
  });
});
