import ipaddr from 'ipaddr.js';
import { growingCache } from '../../../kernel/cached.ts';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Azure's wire server: a unicast address that answers from inside the cloud. Other metadata addresses lie in ranges that are refused anyway. */
const METADATA = new Set(['168.63.129.16']);

/** Global unicast (RFC 4291, 2.4). Other IPv6 unicast addresses are unassigned or embed an IPv4 address. */
const GLOBAL_V6: Range = [ipaddr.parse('2000::'), 3];

const MAX_CACHED = 10_000;

const within = (address: Address, [base, bits]: Range): boolean => address.kind() === base.kind() && address.match(base, bits);

/** An IPv4-mapped IPv6 address is judged as the IPv4 address. */
function unmapped(address: Address): Address {
  return address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress() ? (address as ipaddr.IPv6).toIPv4Address() : address;
}

export interface AllowedAddresses {
  /** Ranges that may be connected to although they are not public. */
  readonly allowed?: readonly string[];
  /** Ranges that may not be connected to although they are public; these win. */
  readonly denied?: readonly string[];
}

const parseRange = (range: string): Range =>
  ipaddr.parseCIDR(range.includes('/') ? range : `${range}/${range.includes(':') ? '128' : '32'}`);

/** Which addresses may be connected to: public unicast and the allowed ranges, without the denied ones. */
export class AddressRules {
  private readonly allowed: readonly Range[];
  private readonly denied: readonly Range[];
  private readonly cache = growingCache<string, { readonly refusal: string | null }>(MAX_CACHED);

  constructor({ allowed = [], denied = [] }: AllowedAddresses = {}) {
    this.allowed = allowed.map(parseRange);
    this.denied = denied.map(parseRange);
  }

  /** Why the address may not be connected to, or null. For the log: it tells about the network that the service runs in. */
  refusal(text: string): string | null {
    let judged = this.cache.get(text);
    if (judged === undefined) {
      judged = { refusal: this.judge(text) };
      this.cache.set(text, judged);
    }
    return judged.refusal;
  }

  private judge(text: string): string | null {
    if (!ipaddr.isValid(text)) return `${text} is not an IP address`;
    const address = ipaddr.parse(text);
    const reached = unmapped(address);
    const isIn = (range: Range): boolean => within(reached, range) || within(address, range);
    if (this.denied.some(isIn)) return `${text} is an address of DENY_TARGETS`;
    if (this.allowed.some(isIn)) return null;
    const range = address.range();
    if (range !== 'unicast') return `${text} is a ${range} address`;
    if (METADATA.has(address.toString())) return `${text} is a cloud metadata address`;
    if (address.kind() === 'ipv6' && !within(address, GLOBAL_V6)) return `${text} is not a global address`;
    return null;
  }
}
