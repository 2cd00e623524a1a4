import { describe, expect, it } from '@jest/globals';
import { decodeBytes } from './charset.ts';
import { encodeText } from './encode-text.ts';

const hex = (text: string, charset: string): string => encodeText(text, charset).toString('hex');

describe('encodeText', () => {
  it.each([
    ['windows-1252', '€é’a', '80e99261'],
    ['windows-1250', 'čěš', 'e8ec9a'],
    ['iso-8859-2', 'žŽ', 'beae'],
    ['iso-8859-16', '€Ș', 'a4aa'],
    ['koi8-r', 'да', 'c4c1'],
    ['windows-1251', 'да', 'e4e0'],
    ['shift_jis', '日本ｱ\\~', '93fa967bb15c7e'],
    ['euc-jp', '日本ｱ', 'c6fccbdc8eb1'],
    ['euc-kr', '한', 'c7d1'],
    ['gbk', '中', 'd6d0'],
    ['gb18030', '中', 'd6d0'],
    ['big5', '中十', 'a4a4a451'],
    ['utf-16le', 'č', 'c48d'],
    ['iso-2022-jp', 'č', 'c48d'],
  ])('encodes to %s: %j', (charset, text, bytes) => {
    expect(hex(text, charset)).toBe(bytes);
  });

  it('replaces characters outside the charset by character references', () => {
    expect(encodeText('a€😀', 'iso-8859-2').toString()).toBe('a&#8364;&#128512;');
    expect(encodeText('č', 'windows-1252').toString()).toBe('&#269;');
  });

  it.each(['windows-1253', 'iso-8859-7', 'windows-874', 'shift_jis', 'euc-jp', 'euc-kr', 'gbk', 'big5'])(
    'round-trips through decoding in %s',
    (charset) => {
      const text = 'Aaž 한국어 日本語 中文 Ωμέγα ภาษา ｱｲｳ 〜';
      const read = decodeBytes(encodeText(text, charset), charset);
      expect(read.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))).toBe(text);
    },
  );
});
