import { expect, it } from '@jest/globals';
import { CachedResolver } from './resolver.ts';

it('a question that could not be asked is trouble of our own, and asked again soon', async () => {
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
  const own = { kind: 'own', reason: 'the name could not be asked for: Error: no more sockets' };
  expect(await Promise.all([resolver.resolve('a.example'), resolver.resolve('a.example')])).toEqual([own, own]);
  broken = false;
  now += 1_001;
  expect(await resolver.resolve('a.example')).toEqual({ kind: 'found', addresses: ['2001:db8::1'] });
});
