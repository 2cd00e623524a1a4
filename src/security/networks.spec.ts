import { expect, it } from '@jest/globals';
import { networkOf } from './networks.ts';

it('counts all addresses of an IPv6 /64 network as one, in any spelling', () => {
  const own = ['2001:db8:0:0:1:2:3:4', '2001:db8::1', '2001:db8::2', '2001:DB8::ffff:ffff:ffff:ffff', '2001:db8:0::9%eth0'];
  expect(new Set(own.map((address) => networkOf(address))).size).toBe(1);
  const others = ['2001:db8:0:1::1', '2001:db8:1::1', '2001:db9::1', '::1'];
  expect(new Set([...own, ...others].map((address) => networkOf(address))).size).toBe(1 + others.length);
});

it('counts IPv4 addresses singly, also those written as IPv6', () => {
  expect(['192.0.2.1', '192.0.2.2', '::ffff:192.0.2.1', '::ffff:c000:201'].map((address) => networkOf(address))).toEqual([
    '192.0.2.1',
    '192.0.2.2',
    '192.0.2.1',
    '192.0.2.1',
  ]);
});

it('keeps text that is not an address', () => {
  expect(networkOf('unknown')).toBe('unknown');
});

it('groups addresses by the given prefixes', () => {
  const wide = { ipv4: 24, ipv6: 48 };
  expect(['192.0.2.1', '192.0.2.254', '192.0.3.1'].map((address) => networkOf(address, wide))).toEqual([
    '192.0.2.0/24',
    '192.0.2.0/24',
    '192.0.3.0/24',
  ]);
  expect(networkOf('2001:db8:1:ffff::1', wide)).toBe('2001:db8:1::/48');
  expect(networkOf('2001:db8:1:ff7f::1', { ipv4: 32, ipv6: 57 })).toBe('2001:db8:1:ff00::/57');
});
