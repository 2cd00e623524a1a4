import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/** Reads as unicast and still answers from inside: the wire server of a cloud. Other metadata addresses lie in ranges that are refused anyway. */
const METADATA = new Set(['168.63.129.16']);

/** What is in use of IPv6 today (RFC 4291, 2.4). Everything else that reads as unicast is unassigned or an old form of an IPv4 address. */
const GLOBAL_V6: Range = [ipaddr.parse('2000::'), 3];

const MOST_JUDGED = 10_000;

const within = (address: Address, [base, bits]: Range): boolean => address.kind() === base.kind() && address.match(base, bits);

/** An IPv4 address in the clothes of IPv6 is judged as what it reaches. */
function unmapped(address: Address): Address {
  return address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress() ? (address as ipaddr.IPv6).toIPv4Address() : address;
}

/** Which addresses may be dialled: public unicast, and what the operator allows by name. */
export class AddressRules {
  private readonly allowed: readonly Range[];
  /** Judged already: the same sites are asked over and over. */
  private readonly judged = new Map<string, string | null>();

  constructor(allowedRanges: readonly string[] = []) {
    this.allowed = allowedRanges.map((range) =>
      ipaddr.parseCIDR(range.includes('/') ? range : `${range}/${range.includes(':') ? '128' : '32'}`),
    );
  }

  /** Why the address is not dialled, or null when it may be. */
  refusal(text: string): string | null {
    const known = this.judged.get(text);
    if (known !== undefined) return known;
    const refusal = this.judge(text);
    if (this.judged.size >= MOST_JUDGED) this.judged.clear();
    this.judged.set(text, refusal);
    return refusal;
  }

  private judge(text: string): string | null {
    if (!ipaddr.isValid(text)) return `${text} is no address`;
    const address = ipaddr.parse(text);
    const reached = unmapped(address);
    if (this.allowed.some((range) => within(reached, range) || within(address, range))) return null;
    const range = address.range();
    if (range !== 'unicast') return `${text} is a ${range} address`;
    if (METADATA.has(address.toString())) return `${text} is a cloud metadata address`;
    if (address.kind() === 'ipv6' && !within(address, GLOBAL_V6)) return `${text} is no global address`;
    return null;
  }
}
