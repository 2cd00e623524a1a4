import { isIP } from 'node:net';
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
  const bits = prefixes[parsed.kind()];
  const network = maskedTo(bits, parsed);
  return bits === SUBSCRIBER[parsed.kind()] ? network : `${network}/${String(bits)}`;
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const maskedTo = (bits: number, address: Address): string =>
  ipaddr.fromByteArray(address.toByteArray().map((byte, place) => byte & maskOf(bits - 8 * place))).toString();

/** Null for the spellings that only some programs accept, such as `0x7f.1`, and for `::192.0.2.1`, which stands for no IPv4 address. */
const parsedAddress = (text: string): Address | null => (isIP(text) === 0 || /^::\d+\./.test(text) ? null : ipaddr.process(text));

/**
 * The network of a CIDR or of a single address, in canonical form; IPv4-mapped IPv6 is the IPv4 that it stands for. Null when it is neither, or has
 * bits beyond its prefix.
 */
export function readNetwork(text: string): string | null {
  const [address = '', prefix, ...rest] = text.split('/');
  const parsed = parsedAddress(address);
  if (parsed === null || address.includes('%') || rest.length > 0 || !/^\d{1,3}$/.test(prefix ?? '0')) return null;
  const all = parsed.kind() === 'ipv4' ? 32 : 128;
  const isMapped = isIP(address) === 6 && all === 32;
  const bits = prefix === undefined ? all : Number(prefix) - (isMapped ? 96 : 0);
  if (bits < 0 || bits > all || maskedTo(bits, parsed) !== parsed.toString()) return null;
  return `${parsed.toString()}/${String(bits)}`;
}

/** Whether an address, also an IPv4 one written as IPv6, lies in one of these CIDRs; text that is not an address lies in none. */
export function networkMatcher(networks: readonly string[]): (address: string) => boolean {
  const ranges = networks.map((network) => ipaddr.parseCIDR(network));
  return (address) => {
    const parsed = parsedAddress(address);
    return parsed !== null && ranges.some((range) => contains(range, parsed));
  };
}

/** Whether the whole of a network lies in one of these. */
export function isWithin(network: string, networks: readonly string[]): boolean {
  const [base, bits] = ipaddr.parseCIDR(network);
  return networks.map((other) => ipaddr.parseCIDR(other)).some((range) => bits >= range[1] && contains(range, base));
}

const contains = ([base, bits]: readonly [Address, number], address: Address): boolean =>
  base.kind() === address.kind() && address.match(base, bits);

/** The mask of one byte of an address, by the number of bits of the prefix that remain at it. */
const maskOf = (bits: number): number => (bits >= 8 ? 0xff : bits <= 0 ? 0 : 0xff & (0xff << (8 - bits)));
