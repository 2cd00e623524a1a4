import ipaddr from 'ipaddr.js';

/** Prefix lengths by which addresses are grouped. */
export interface Prefixes {
  readonly ipv4: number;
  readonly ipv6: number;
}

/** One subscriber: an IPv4 address, an IPv6 network of 64 bits. */
const SUBSCRIBER: Prefixes = { ipv4: 32, ipv6: 64 };

/** The network of an address, by which it is counted; text that is not an address is kept. */
export function networkOf(address: string, prefixes: Prefixes = SUBSCRIBER): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  const bits = prefixes[parsed.kind()];
  const masked = ipaddr.fromByteArray(bytes.map((byte, place) => byte & maskOf(bits - 8 * place)));
  return bits === SUBSCRIBER[parsed.kind()] ? masked.toString() : `${masked.toString()}/${String(bits)}`;
}

/** Of the remaining bits of a prefix, those within one byte. */
const maskOf = (bits: number): number => (bits >= 8 ? 0xff : bits <= 0 ? 0 : 0xff & (0xff << (8 - bits)));
