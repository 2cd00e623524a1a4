import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { baseOf, signedBy } from '../../../../test/support/rfc9421/message.ts';
import { signatureBase } from './signature-base.ts';
import { isInnerList, parseDictionary, serializeDictionary, type InnerList } from './structured-field.ts';
import { contentDigest } from './verify-receipt.ts';

/** RFC 9421, appendices B.1.4 and B.2.6. */
const key = createPrivateKey({
  key: { kty: 'OKP', crv: 'Ed25519', d: 'n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' },
  format: 'jwk',
});
const INPUT = '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"';
const SIGNATURE = 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==';
const VALUES: Readonly<Record<string, string>> = {
  date: 'Tue, 20 Apr 2021 02:07:55 GMT',
  '@method': 'POST',
  '@path': '/foo',
  '@authority': 'example.com',
  'content-type': 'application/json',
  'content-length': '18',
};
const BASE = [...Object.entries(VALUES).map(([name, value]) => `"${name}": ${value}`), `"@signature-params": ${INPUT}`].join('\n');

const inputOf = (text: string): InnerList => {
  const member = parseDictionary(`sig=${text}`)?.get('sig');
  if (member === undefined || !isInnerList(member)) throw new Error(`not an inner list: ${text}`);
  return member;
};

describe('the signature base', () => {
  it('is that of the test vector of RFC 9421, and so is its signature', () => {
    const base = signatureBase(inputOf(INPUT), ({ name }) => VALUES[name]);
    expect(base).toBe(BASE);
    expect(sign(null, Buffer.from(base ?? ''), key).toString('base64')).toBe(SIGNATURE);
  });

  it('is that of the independent implementation, which accepts the test vector', () => {
    const headers = new Headers({
      ...{ date: VALUES['date'] ?? '', 'content-type': 'application/json', 'content-length': '18' },
      ...{
        'signature-input': `sig-b26=${INPUT}`,
        signature: `sig-b26=:${SIGNATURE}:`,
        'content-digest': contentDigest('{"hello": "world"}\n'),
      },
    });
    const message = { method: 'POST', url: 'https://example.com/foo?param=Value&Pet=dog', headers, body: '{"hello": "world"}\n' };
    expect(baseOf(INPUT, message)).toBe(BASE);
    const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
    expect(signedBy(publicKey, message)).toEqual({ labels: ['sig-b26'], digest: true });
  });

  it('marks components of the request, and covers none twice and none without a value', () => {
    const valueOf = ({ name, isOfRequest }: { name: string; isOfRequest: boolean }): string | undefined =>
      isOfRequest ? `request ${name}` : name === 'missing' ? undefined : name;
    expect(signatureBase(inputOf('("@method";req "@status");created=1'), valueOf)).toBe(
      '"@method";req: request @method\n"@status": @status\n"@signature-params": ("@method";req "@status");created=1',
    );
    for (const refused of ['("a" "a")', '("missing")', '("a";sf)', '("a";bs;req)', '(a)'])
      expect(signatureBase(inputOf(refused), valueOf)).toBeNull();
    expect(signatureBase(inputOf('("a")'), () => 'two\nlines')).toBeNull();
  });

  it('never ends with a line feed, as the text of every note does', () => {
    expect(signatureBase(inputOf('();nonce="x"'), () => undefined)).toBe('"@signature-params": ();nonce="x"');
  });
});

describe('Content-Digest', () => {
  it('is that of the examples of RFC 9530', () => {
    expect(contentDigest('{"hello": "world"}\n')).toBe('sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:');
    expect(contentDigest('')).toBe('sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:');
  });
});

describe('a dictionary (RFC 8941)', () => {
  it.each([
    ['sig=("@method";req "date");created=1;keyid="a\\"b\\\\c"', undefined],
    ['a, b=?0, c=:AQI=:, d=token/x, e=-15;f', undefined],
    ['  a=1  ,\tb=2  ', 'a=1, b=2'],
    ['a=1, a=2', 'a=2'],
    ['a=?1', 'a'],
    ['', ''],
  ])('reads %j', (text, written = text) => {
    const read = parseDictionary(text);
    expect(read === null ? null : serializeDictionary(read)).toBe(written);
  });

  it.each([
    'a=',
    'a=1,',
    ',a',
    'A=1',
    'a=1 b=2',
    'a=(1',
    'a=(1,2)',
    'a="x',
    'a="\u00e9"',
    'a="\n"',
    'a=1.5',
    'a=:A:',
    'a=:AQJ=:',
    'a=?2',
    'a=1;',
    '=1',
    'a==1',
  ])('refuses %j', (text) => {
    expect(parseDictionary(text)).toBeNull();
  });
});
