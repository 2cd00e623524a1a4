import { describe, expect, it } from '@jest/globals';
import { decodeText, encodingOf } from './charset.ts';

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))));

describe('decodeText', () => {
  it.each([
    ['windows-1250', [0xe8, 0xec, 0x9a, 0x92], 'čěš’'],
    ['iso-8859-2', [0xe8, 0xec, 0xb9], 'čěš'],
    ['latin2', [0xe8], 'č'],
    ['Shift_JIS', [0x93, 0xfa, 0x96, 0x7b], '日本'],
    ['euc-jp', [0xc6, 0xfc, 0xcb, 0xdc], '日本'],
    ['euc-kr', [0xc7, 0xd1], '한'],
    ['gb2312', [0xd6, 0xd0], '中'],
    ['big5', [0xa4, 0xa4], '中'],
    ['koi8-r', [0xc4, 0xc1], 'да'],
    ['windows-1251', [0xe4, 0xe0], 'да'],
    ['latin1', [0x92, 0x80, 0xe9], '’€é'],
    ['iso-8859-1', [0x93, 0x94], '“”'],
    ['us-ascii', [0x92], '’'],
    ['iso-8859-16', [0xa4, 0xaa], '€Ș'],
    ['utf-16le', [0x2d, 0x4e], '中'],
  ])('decodes %s as browsers do', (label, raw, text) => {
    expect(decodeText(bytes(raw), `text/html; charset="${label}"`).text).toBe(text);
  });

  it.each([
    ['<meta charset=windows-1250>', 'windows-1250'],
    ['<!-- <meta charset=big5> --><META http-equiv="Content-Type" content="text/html; charset=iso-8859-2">', 'iso-8859-2'],
    ['<script>"<meta charset=big5>"</script><meta charset="shift_jis">', 'shift_jis'],
    ['<meta charset="utf-16">', 'utf-8'],
    [`<title>${'x'.repeat(3000)}</title><meta charset="windows-1250">`, 'windows-1250'],
    ['<meta charset="nonsense">', 'utf-8'],
    ['<meta charset="utf8mb4"><meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">', 'iso-8859-2'],
    ['<meta charset><meta charset="windows-1250">', 'windows-1250'],
    ['<?xml version="1.0" encoding="iso-8859-2"?><!DOCTYPE html><p>x', 'iso-8859-2'],
    ['<?xml version="1.0" encoding="iso-8859-2"?><meta charset="windows-1250">', 'windows-1250'],
    [' <?xml version="1.0" encoding="iso-8859-2"?>', 'utf-8'],
    ['<p>nothing', 'utf-8'],
  ])('finds the charset declared in %j', (html, charset) => {
    expect(decodeText(bytes(html), 'text/html').charset).toBe(charset);
  });

  it.each(['constructor', '__proto__', 'hasOwnProperty'])('does not take the property name %s for a charset', (label) => {
    expect(decodeText(bytes('a'), `text/html; charset=${label}`)).toEqual({ charset: 'utf-8', text: 'a' });
    expect(decodeText(bytes(`<meta charset=${label}>`), 'text/html').charset).toBe('utf-8');
  });

  it('prefers a byte order mark to the header, and the header to a declaration in the page', () => {
    const page = bytes('<meta charset=windows-1250>', [0xe8]);
    expect(decodeText(page, 'text/html; charset=iso-8859-1').charset).toBe('windows-1252');
    expect(decodeText(bytes([0xef, 0xbb, 0xbf], '<p>'), 'text/html; charset=latin1')).toEqual({ text: '<p>', charset: 'utf-8' });
    expect(decodeText(bytes([0xff, 0xfe, 0x41, 0x00]), 'text/html')).toEqual({ text: 'A', charset: 'utf-16le' });
  });

  it('reads an XML declaration, and without any falls back to UTF-8 or windows-1252', () => {
    expect(decodeText(bytes('<?xml version="1.0" encoding="windows-1250"?><a>', [0xe8]), 'application/xml').text).toMatch(/č$/);
    expect(decodeText(bytes([0xc4, 0x8d]), 'text/plain').text).toBe('č');
    expect(decodeText(bytes([0xe9, 0x92]), 'text/plain')).toEqual({ text: 'é’', charset: 'windows-1252' });
  });

  it('drops an incomplete character at the end of a cut page', () => {
    expect(decodeText(bytes('a', [0xc4]), 'text/html', true)).toEqual({ text: 'a', charset: 'utf-8' });
    expect(decodeText(bytes('a', [0xc4]), 'text/html; charset=utf-8').text).toBe('a\ufffd');
  });

  it('accepts only the labels of the WHATWG standard', () => {
    expect(['utf8', ' Latin1 ', 'klingon', ''].map(encodingOf)).toEqual(['utf-8', 'windows-1252', undefined, undefined]);
  });
});
