import { describe, expect, it } from '@jest/globals';
import { ANSWERED, REFUSED } from '../../../test/support/probe-outcomes.ts';
import { NO_PHASES, type SentRequest } from '../probe/outcome.ts';
import { exchangeOf, packExchange } from './exchange-of.ts';

const SECRET = 'tok_4711-secret';
const sent: SentRequest = {
  ...{ method: 'GET', url: 'https://site.example/', bodyBytes: 0 },
  headers: [
    ['User-Agent', 'watch'],
    ['X-Key', `Bearer ${SECRET}`],
    ['Cookie', 'sid=abcdef123456'],
  ],
  secret: new Set(['x-key', 'cookie', 'authorization']),
};
const journey = {
  ...{ url: `https://site.example/?k=${SECRET}`, phases: NO_PHASES, certificate: null, address: '192.0.2.1', sent },
  hops: [
    { url: 'https://site.example/', status: 302, location: `/?k=${SECRET}`, to: `https://site.example/?k=${SECRET}`, phases: NO_PHASES },
  ],
};
const headers: readonly (readonly [string, string])[] = [
  ['Content-Type', 'text/html'],
  ['Set-Cookie', 'sid=fresh-session; Path=/; HttpOnly'],
  ['X-Auth-Token', 'fresh-token'],
  ['X-Echo', `you sent ${SECRET}`],
];
const facts = { kind: 'check', checkId: 'c', at: 0, location: 'eu', judged: null } as const;

describe('an exchange that is kept', () => {
  const exchange = exchangeOf({ ...facts, outcome: { ...ANSWERED, ...journey, headers } });

  it('has the names of secret headers without their values, and cookies without theirs', () => {
    expect(exchange.request?.headers).toEqual([
      ['User-Agent', 'watch'],
      ['X-Key', null],
      ['Cookie', null],
    ]);
    expect(exchange.answer?.headers).toEqual([
      ['Content-Type', 'text/html'],
      ['Set-Cookie', 'sid=(hidden); Path=/; HttpOnly'],
      ['X-Auth-Token', null],
      ['X-Echo', 'you sent (hidden)'],
    ]);
  });

  it('has no secret anywhere, also where the site sends it back', () => {
    for (const secret of [SECRET, 'abcdef123456', 'fresh-session', 'fresh-token']) expect(JSON.stringify(exchange)).not.toContain(secret);
    expect(exchange.answer?.url).toBe('https://site.example/?k=(hidden)');
  });

  it('is named by its content', () => {
    const packed = packExchange(exchange);
    expect(packExchange(JSON.parse(packed.json) as typeof exchange)).toEqual(packed);
    expect(packExchange({ ...exchange, at: new Date(1).toISOString() }).sha256).not.toBe(packed.sha256);
  });

  it('does not show the address of a refused target', () => {
    const refused = { ...REFUSED, ...journey };
    expect(exchangeOf({ ...facts, outcome: refused }).address).toBe('192.0.2.1');
    expect(exchangeOf({ ...facts, outcome: { ...refused, code: 'target' } }).address).toBeNull();
  });
});
