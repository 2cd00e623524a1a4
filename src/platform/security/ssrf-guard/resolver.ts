import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { growingCache } from '../../../kernel/cached.ts';
import { systemNames, type Family, type NameSource, type NameAnswer } from './name-source.ts';

const PATH = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';
const MAX_AGE_MS = 5_000;

export function parseHosts(text: string): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address, ...hosts] = (line.split('#')[0] ?? '').trim().split(/\s+/);
    if (address === undefined || isIP(address) === 0) continue;
    for (const host of hosts) names.set(host.toLowerCase(), [...(names.get(host.toLowerCase()) ?? []), address]);
  }
  return names;
}

/** The hosts file takes precedence over DNS, as everywhere else on the machine. */
class HostsFile {
  private names = new Map<string, string[]>();
  private readAt = -Infinity;
  private reading: Promise<void> | undefined;

  constructor(private readonly path = PATH) {}

  async addresses(host: string): Promise<readonly string[]> {
    if (performance.now() - this.readAt > MAX_AGE_MS) await (this.reading ??= this.read().finally(() => (this.reading = undefined)));
    return this.names.get(host) ?? [];
  }

  private async read(): Promise<void> {
    this.names = parseHosts(await readFile(this.path, 'utf8').catch(() => ''));
    this.readAt = performance.now();
  }
}

export type Resolution =
  | { readonly kind: 'found'; readonly addresses: readonly string[] }
  | { readonly kind: 'unknown'; readonly reason: string }
  | { readonly kind: 'inconclusive'; readonly reason: string };

interface Entry {
  readonly resolution: Promise<Resolution>;
  /** Expiry; Infinity while the query runs, so that concurrent callers share it. */
  until: number;
}

const MAX_TTL_MS = 300_000;
const NEGATIVE_TTL_MS = 5_000;
const INCONCLUSIVE_TTL_MS = 1_000;
const MAX_ENTRIES = 20_000;
/** How long a name that has IPv4 addresses waits for its IPv6 addresses. */
const SECOND_FAMILY_MS = 300;

export interface ResolverOptions {
  readonly names?: NameSource;
  readonly hosts?: Pick<HostsFile, 'addresses'>;
  readonly now?: () => number;
}

/** Caches answers for their time to live; concurrent lookups of a name share one query. */
export class CachedResolver {
  private readonly entries = growingCache<string, Entry>(MAX_ENTRIES);
  private readonly names: NameSource;
  private readonly hosts: Pick<HostsFile, 'addresses'>;
  private readonly now: () => number;

  constructor({ names = systemNames(), hosts = new HostsFile(), now = () => performance.now() }: ResolverOptions = {}) {
    this.names = names;
    this.hosts = hosts;
    this.now = now;
  }

  resolve(name: string, family: Family = 'any'): Promise<Resolution> {
    const host = name.toLowerCase().replace(/\.$/, '');
    const key = `${family} ${host}`;
    const known = this.entries.get(key);
    if (known !== undefined && known.until > this.now()) return known.resolution;
    const query = this.query(host, family).catch((error: unknown) => ({
      // A cached rejection would never expire.
      resolution: { kind: 'inconclusive', reason: `the name lookup failed: ${String(error)}` } as const,
      ttlMs: INCONCLUSIVE_TTL_MS,
    }));
    const entry: Entry = { resolution: query.then(({ resolution }) => resolution), until: Infinity };
    this.entries.set(key, entry);
    void query.then(({ ttlMs }) => (entry.until = this.now() + ttlMs));
    return entry.resolution;
  }

  silentSince(since: number): boolean {
    return this.names.heardAt() < since;
  }

  private async query(host: string, family: Family): Promise<{ resolution: Resolution; ttlMs: number }> {
    const inHostsFile = (await this.hosts.addresses(host)).filter((address) => family === 'any' || address.includes(':'));
    if (inHostsFile.length > 0) return { resolution: { kind: 'found', addresses: inHostsFile }, ttlMs: NEGATIVE_TTL_MS };
    const answers = await this.queryFamilies(host, family);
    const found = answers.flatMap((answer) => (answer.kind === 'found' ? answer.records : []));
    if (found.length > 0) {
      const ttl = Math.min(...found.map((record) => record.ttl)) * 1000;
      return { resolution: { kind: 'found', addresses: found.map((record) => record.address) }, ttlMs: Math.min(ttl, MAX_TTL_MS) };
    }
    return this.querySystem(host, family, answers);
  }

  /** Names that only the system knows (search domains, name services beside DNS). */
  private async querySystem(
    host: string,
    family: Family,
    answers: readonly NameAnswer[],
  ): Promise<{ resolution: Resolution; ttlMs: number }> {
    const broken = answers.find((answer) => answer.kind === 'broken');
    const inconclusive = answers.find((answer) => answer.kind === 'inconclusive');
    if (broken !== undefined && inconclusive === undefined)
      return { resolution: { kind: 'unknown', reason: broken.reason }, ttlMs: NEGATIVE_TTL_MS };
    const system = await this.names.lookup(host, family);
    if (system.length > 0) return { resolution: { kind: 'found', addresses: system }, ttlMs: NEGATIVE_TTL_MS };
    if (inconclusive !== undefined)
      return { resolution: { kind: 'inconclusive', reason: inconclusive.reason }, ttlMs: INCONCLUSIVE_TTL_MS };
    const reason = family === 'ipv6' ? `${host} has no IPv6 address` : `the name ${host} does not exist`;
    return { resolution: { kind: 'unknown', reason }, ttlMs: NEGATIVE_TTL_MS };
  }

  private async queryFamilies(host: string, family: Family): Promise<readonly NameAnswer[]> {
    const six = this.names.resolve6(host);
    if (family === 'ipv6') return [await six];
    const four = await this.names.resolve4(host);
    if (four.kind !== 'found') return [four, await six];
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<NameAnswer>((resolve) => (timer = setTimeout(resolve, SECOND_FAMILY_MS, { kind: 'none' })));
    const second = await Promise.race([six, late]);
    clearTimeout(timer);
    return [four, second];
  }
}
