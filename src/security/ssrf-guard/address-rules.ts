import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

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

/** Which addresses may be connected to: public unicast, and the ranges of ALLOW_TARGETS. */
export class AddressRules {
  private readonly allowed: readonly Range[];
  private readonly cache = new LRUCache<string, { readonly refusal: string | null }>({ max: MAX_CACHED });

  constructor(allowedRanges: readonly string[] = []) {
    this.allowed = allowedRanges.map((range) =>
      ipaddr.parseCIDR(range.includes('/') ? range : `${range}/${range.includes(':') ? '128' : '32'}`),
    );
  }

  /** Why the address may not be connected to, or null. */
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
    if (this.allowed.some((range) => within(reached, range) || within(address, range))) return null;
    const range = address.range();
    if (range !== 'unicast') return `${text} is a ${range} address`;
    if (METADATA.has(address.toString())) return `${text} is a cloud metadata address`;
    if (address.kind() === 'ipv6' && !within(address, GLOBAL_V6)) return `${text} is not a global address`;
    return null;
  }
}
