import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { readExtraHeaders } from './extra-headers.ts';

const reason = (text: string): string | null => {
  const read = readExtraHeaders(text);
  return read.ok ? null : read.reason;
};

describe('extra headers', () => {
  it('are one per line, without empty lines', () => {
    expect(readExtraHeaders('X-A: b: c\r\n\n x\n'.replace(' x\n', 'X-B:\n'))).toEqual({
      ok: true,
      headers: [
        ['X-A', 'b: c'],
        ['X-B', ''],
      ],
    });
  });

  it.each([
    'Host: a',
    'content-length: 3',
    'Transfer-Encoding: chunked',
    'CONNECTION: close',
    'Proxy-Authorization: x',
    'Upgrade: h2c',
    'Expect: 100-continue',
  ])('may not be %s', (line) => {
    expect(reason(`X-A: b\n${line}`)).toMatch(/may not be set$/);
  });

  it.each(['X-A', ': b', 'X A: b', ' X-A: b', 'X-A : b', 'X-Ä: b', 'X-A: b\rX-B: c', 'X-A: \u0000', 'X-A: \u0085'])(
    'may not have the form %j',
    (line) => {
      expect(reason(line)).not.toBeNull();
    },
  );

  it('are accepted only if Node can send them', () => {
    const anything = fc.string({ unit: 'binary', maxLength: 40, size: 'max' });
    const line = fc.tuple(fc.oneof(fc.constantFrom('X-A', 'x_b'), anything), anything).map(([name, value]) => `${name}: ${value}`);
    let accepted = 0;
    fc.assert(
      fc.property(line, (text) => {
        const read = readExtraHeaders(text);
        for (const [name, value] of read.ok ? read.headers : []) {
          accepted++;
          validateHeaderName(name);
          validateHeaderValue(name, Buffer.from(value, 'utf8').toString('latin1'));
        }
      }),
    );
    expect(accepted).toBeGreaterThan(0);
  });
});
