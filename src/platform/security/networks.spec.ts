import { expect, it } from '@jest/globals';
import { isWithin, networkMatcher, networkOf, readNetwork } from './networks.ts';

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

it('reads a network in canonical form, IPv4 also when it is mapped to IPv6', () => {
  const read: readonly (readonly [string, string | null])[] = [
    ['192.0.2.7', '192.0.2.7/32'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0::/32', '2001:db8::/32'],
    ['2001:db8::1', '2001:db8::1/128'],
    ['::ffff:192.0.2.7', '192.0.2.7/32'],
    ['::ffff:c000:200/120', '192.0.2.0/24'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
    ...['::ffff:0:0/95', '10.0.0.1/8', '10.0.0.0/33', '::/129', '10.1/16', '0x0a.0.0.0/8', '10.0.0.0/-1', '10.0.0.0/8/8', ''].map(
      (text) => [text, null] as const,
    ),
    ...['fe80::1%eth0', 'fe80::1%eth0/64', '10.0.0.0/', '10.0.0.0/ 8', ' 10.0.0.0/8', 'localhost', '::192.0.2.9', '/8'].map(
      (text) => [text, null] as const,
    ),
  ];
  expect(read.map(([text]) => [text, readNetwork(text)])).toEqual(read);
});

it('finds an address in networks of its own kind, however it is written', () => {
  const isOurs = networkMatcher(['192.0.2.0/24', '2001:db8::/32']);
  expect(['192.0.2.9', '::ffff:192.0.2.9', '::ffff:c000:209', '2001:db8:9::1', '2001:db8::1%eth0'].every(isOurs)).toBe(true);
  expect(
    ['192.0.3.1', '::ffff:192.0.3.1', '::192.0.2.9', '2001:db9::1', '0xc0.0.2.9', '192.0.2.9, 192.0.2.9', 'unknown', ''].some(isOurs),
  ).toBe(false);
  expect(networkMatcher(['::/0'])('::ffff:192.0.2.9')).toBe(false);
  expect(networkMatcher([])('192.0.2.9')).toBe(false);
});

it('tells whether a network lies within others', () => {
  const outer = ['10.0.0.0/8', '2001:db8::/32'];
  expect(['10.0.0.0/8', '10.9.0.0/16', '2001:db8:1::/48'].every((network) => isWithin(network, outer))).toBe(true);
  expect(['10.0.0.0/7', '0.0.0.0/0', '11.0.0.0/8', '2001:db8::/31'].some((network) => isWithin(network, outer))).toBe(false);
});
