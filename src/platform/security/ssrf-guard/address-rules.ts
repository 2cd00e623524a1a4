import { growingCache } from '../../../kernel/cached.ts';
import ipaddr from 'ipaddr.js';

/**
 * Ports of services that trust requests from their own network: the list of browsers (Fetch standard, "bad port"), and databases, caches,
 * queues and control planes.
 */
const BROWSERS = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110, 111, 113, 115, 117,
  119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636,
  989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];
const INTERNAL = [
  445, 873, 1433, 1521, 2375, 2376, 2379, 2380, 3306, 3389, 5432, 5671, 5672, 5900, 6379, 6443, 9042, 9092, 9200, 9300, 10250, 10255, 11211,
  27017, 27018, 27019,
];

export const DENIED_PORTS: ReadonlySet<number> = new Set([...BROWSERS, ...INTERNAL]);

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

/**
 * Where clouds tell their machines about themselves, with credentials: AWS, Azure, Google and others; AWS over IPv6; containers of AWS; Azure's wire server,
 * which is a unicast address; Alibaba; Oracle. A range that is allowed does not open them.
 */
const METADATA = new Set(['169.254.169.254', 'fd00:ec2::254', '169.254.170.2', '168.63.129.16', '100.100.100.200', '192.0.0.192']);

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
    const isNamed = this.allowed.some(([base, bits]) => bits === (base.kind() === 'ipv4' ? 32 : 128) && isIn([base, bits]));
    if (METADATA.has(reached.toString()) && !isNamed) return `${text} is a cloud metadata address`;
    if (this.allowed.some(isIn)) return null;
    const range = address.range();
    if (range !== 'unicast') return `${text} is a ${range} address`;
    if (address.kind() === 'ipv6' && !within(address, GLOBAL_V6)) return `${text} is not a global address`;
    return null;
  }
}
