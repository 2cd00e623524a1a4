import { describe, expect, it } from '@jest/globals';
import type { NameAnswer } from './name-source.ts';
import { CachedResolver } from './resolver.ts';

it('a lookup that fails is inconclusive, and repeated soon', async () => {
  let now = 0;
  let broken = true;
  const resolver = new CachedResolver({
    names: {
      resolve4: () => (broken ? Promise.reject(new Error('no more sockets')) : Promise.resolve({ kind: 'none' })),
      resolve6: () => Promise.resolve({ kind: 'found', records: [{ address: '2001:db8::1', ttl: 60 }] }),
      lookup: () => Promise.resolve([]),
      heardAt: () => now,
    },
    hosts: { addresses: () => Promise.resolve([]) },
    now: () => now,
  });
  const own = { kind: 'inconclusive', reason: 'the name lookup failed: Error: no more sockets' };
  expect(await Promise.all([resolver.resolve('a.example'), resolver.resolve('a.example')])).toEqual([own, own]);
  broken = false;
  now += 1_001;
  expect(await resolver.resolve('a.example')).toEqual({ kind: 'found', addresses: ['2001:db8::1'] });
});

describe('an answer', () => {
  const records = (...given: readonly (readonly [string, number])[]): NameAnswer => ({
    kind: 'found',
    records: given.map(([address, ttl]) => ({ address, ttl })),
  });
  const none: NameAnswer = { kind: 'none' };

  /** How often names were asked, and what they answered `seconds` later. */
  function asking(given: { four?: NameAnswer; six?: NameAnswer; system?: readonly string[]; written?: readonly string[] }) {
    let [asked, now] = [0, 0];
    const resolver = new CachedResolver({
      names: {
        resolve4: () => (asked++, Promise.resolve(given.four ?? none)),
        resolve6: () => Promise.resolve(given.six ?? none),
        lookup: () => Promise.resolve(given.system ?? []),
        heardAt: () => now,
      },
      hosts: { addresses: () => Promise.resolve(given.written ?? []) },
      now: () => now,
    });
    const after = async (seconds: number, name = 'a.example'): Promise<readonly [number, unknown]> => {
      now += seconds * 1_000;
      const resolution = await resolver.resolve(name);
      return [asked, resolution.kind === 'found' ? resolution.addresses : resolution.kind];
    };
    return { resolver, after };
  }

  it('is cached for the shortest time to live of its records, at most five minutes, in any case of the name', async () => {
    const short = asking({ four: records(['192.0.2.1', 60], ['192.0.2.2', 20]), six: records(['2001:db8::1', 30]) });
    const all = ['192.0.2.1', '192.0.2.2', '2001:db8::1'];
    expect([await short.after(0), await short.after(19.9, 'A.example.'), await short.after(0.2)]).toEqual([
      [1, all],
      [1, all],
      [2, all],
    ]);
    const long = asking({ four: records(['192.0.2.1', 86_400]) });
    expect([await long.after(0), await long.after(299), await long.after(2)].map(([asked]) => asked)).toEqual([1, 1, 2]);
  });

  it('that the name does not exist is cached for five seconds', async () => {
    const { after } = asking({});
    expect([await after(0), await after(4.9), await after(0.2)]).toEqual([
      [1, 'unknown'],
      [1, 'unknown'],
      [2, 'unknown'],
    ]);
  });

  it('comes from the operating system when DNS has none, and from the hosts file first', async () => {
    expect(await asking({ system: ['10.0.0.1'] }).after(0)).toEqual([1, ['10.0.0.1']]);
    expect(await asking({ four: records(['192.0.2.1', 60]), written: ['127.0.0.1'] }).after(0)).toEqual([0, ['127.0.0.1']]);
  });

  it('is unknown when the name servers of the site fail, inconclusive when no name server can be reached', async () => {
    const broken: NameAnswer = { kind: 'broken', reason: 'SERVFAIL' };
    const own: NameAnswer = { kind: 'inconclusive', reason: 'no name server answers' };
    expect((await asking({ four: broken }).after(0))[1]).toBe('unknown');
    expect((await asking({ four: own }).after(0))[1]).toBe('inconclusive');
    expect((await asking({ four: broken, six: own }).after(0))[1]).toBe('inconclusive');
  });

  it('for IPv6 alone has no other addresses', async () => {
    const { resolver } = asking({ four: records(['192.0.2.1', 60]), six: records(['2001:db8::1', 60]) });
    expect(await resolver.resolve('a.example', 'ipv6')).toEqual({ kind: 'found', addresses: ['2001:db8::1'] });
    const written = asking({ written: ['127.0.0.1'] }).resolver;
    expect(await written.resolve('a.example', 'ipv6')).toEqual({ kind: 'unknown', reason: 'a.example has no IPv6 address' });
  });
});
