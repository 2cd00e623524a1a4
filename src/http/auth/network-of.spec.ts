import { expect, it } from '@jest/globals';
import { networkOf } from './network-of.ts';

it('takes all addresses that one subscriber of IPv6 has for one, however they are written', () => {
  const own = ['2001:db8:0:0:1:2:3:4', '2001:db8::1', '2001:db8::2', '2001:DB8::ffff:ffff:ffff:ffff', '2001:db8:0::9%eth0'];
  expect(new Set(own.map(networkOf)).size).toBe(1);
  const others = ['2001:db8:0:1::1', '2001:db8:1::1', '2001:db9::1', '::1'];
  expect(new Set([...own, ...others].map(networkOf)).size).toBe(1 + others.length);
});

it('tells addresses of IPv4 apart, and knows one that was written as IPv6', () => {
  expect(['192.0.2.1', '192.0.2.2', '::ffff:192.0.2.1', '::ffff:c000:201'].map(networkOf)).toEqual([
    '192.0.2.1',
    '192.0.2.2',
    '192.0.2.1',
    '192.0.2.1',
  ]);
});

it('leaves alone what is no address', () => {
  expect(networkOf('unknown')).toBe('unknown');
});
