import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { isIP } from 'node:net';

export type DnsReply = { readonly addresses: readonly string[]; readonly ttl?: number } | 'servfail' | 'nxdomain' | 'silent';

export interface DnsServer {
  readonly resolver: dns.Resolver;
  /** The queried names, with their type: `example.test A`. */
  readonly asked: string[];
  close(): Promise<void>;
}

const A = 1;
const NS = 2;
const AAAA = 28;
const RCODE = { servfail: 2, nxdomain: 3 };

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function v6Bytes(address: string): Buffer {
  const [head = '', tail] = address.split('::');
  const words = (part: string): string[] => (part === '' ? [] : part.split(':'));
  const front = words(head);
  const back = tail === undefined ? [] : words(tail);
  const all = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back];
  return Buffer.from(all.flatMap((word) => [parseInt(word, 16) >> 8, parseInt(word, 16) & 255]));
}

function record(type: number, ttl: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(ttl, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

/** A name server on loopback. `reply` decides for each name; the root is known unless `root` is false. */
export async function startDnsServer(reply: (name: string, nth: number) => DnsReply, { root = true } = {}): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  const counts = new Map<string, number>();
  socket.on('message', (query, peer) => {
    const { name, type, end } = readQuestion(query);
    const label = `${name} ${type === A ? 'A' : type === AAAA ? 'AAAA' : type === NS ? 'NS' : String(type)}`;
    asked.push(label);
    const nth = (counts.get(label) ?? 0) + 1;
    counts.set(label, nth);
    const answer: DnsReply = name === '' ? (root ? { addresses: [] } : 'silent') : reply(name, nth);
    if (answer === 'silent') return;
    const records =
      typeof answer === 'string'
        ? []
        : answer.addresses
            .filter((address) => (type === A && isIP(address) === 4) || (type === AAAA && isIP(address) === 6))
            .map((address) => record(type, answer.ttl ?? 60, type === A ? Buffer.from(address.split('.').map(Number)) : v6Bytes(address)));
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (typeof answer === 'string' ? RCODE[answer] : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const resolver = new dns.Resolver({ timeout: 1_500, tries: 1 });
  resolver.setServers([`127.0.0.1:${String(socket.address().port)}`]);
  return { resolver, asked, close: () => new Promise((resolve) => socket.close(() => resolve())) };
}
