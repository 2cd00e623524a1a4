import { HostsFile } from './hosts-file.ts';
import { systemNames, type Family, type NameSource, type Names } from './name-source.ts';

export type Resolution =
  | { readonly kind: 'found'; readonly addresses: readonly string[] }
  | { readonly kind: 'unknown'; readonly reason: string }
  | { readonly kind: 'inconclusive'; readonly reason: string };

interface Entry {
  readonly resolution: Promise<Resolution>;
  /** When it is asked again; Infinity while the question is under way, so that everybody waits for one answer. */
  until: number;
}

const LONGEST_MS = 300_000;
const NEGATIVE_MS = 5_000;
const OWN_MS = 1_000;
const MOST_ENTRIES = 20_000;
/** How long a name that has IPv4 addresses is held up for its IPv6 ones. */
const SECOND_FAMILY_MS = 300;

export interface ResolverOptions {
  readonly names?: NameSource;
  readonly hosts?: Pick<HostsFile, 'addresses'>;
  readonly now?: () => number;
}

/** One resolver for the whole process: an answer is kept for its time to live, a question is asked once at a time. */
export class CachedResolver {
  private readonly entries = new Map<string, Entry>();
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
    this.makeRoom();
    const asked = this.ask(host, family).catch((error: unknown) => ({
      // Kept as briefly as any trouble of our own: a rejection would be everybody's answer for ever.
      resolution: { kind: 'inconclusive', reason: `the name could not be asked for: ${String(error)}` } as const,
      forMs: OWN_MS,
    }));
    const entry: Entry = { resolution: asked.then(({ resolution }) => resolution), until: Infinity };
    this.entries.delete(key);
    this.entries.set(key, entry);
    void asked.then(({ forMs }) => (entry.until = this.now() + forMs));
    return entry.resolution;
  }

  silentSince(since: number): boolean {
    return this.names.heardAt() < since;
  }

  private makeRoom(): void {
    for (const key of this.entries.keys()) {
      if (this.entries.size < MOST_ENTRIES) return;
      this.entries.delete(key);
    }
  }

  private async ask(host: string, family: Family): Promise<{ resolution: Resolution; forMs: number }> {
    const written = (await this.hosts.addresses(host)).filter((address) => family === 'any' || address.includes(':'));
    if (written.length > 0) return { resolution: { kind: 'found', addresses: written }, forMs: NEGATIVE_MS };
    const answers = await this.askFamilies(host, family);
    const found = answers.flatMap((answer) => (answer.kind === 'found' ? answer.records : []));
    if (found.length > 0) {
      const ttl = Math.min(...found.map((record) => record.ttl)) * 1000;
      return { resolution: { kind: 'found', addresses: found.map((record) => record.address) }, forMs: Math.min(ttl, LONGEST_MS) };
    }
    return this.askSystem(host, family, answers);
  }

  /** Names that only the system knows (search domains, name services beside DNS). */
  private async askSystem(host: string, family: Family, answers: readonly Names[]): Promise<{ resolution: Resolution; forMs: number }> {
    const broken = answers.find((answer) => answer.kind === 'broken');
    const own = answers.find((answer) => answer.kind === 'inconclusive');
    if (broken !== undefined && own === undefined) return { resolution: { kind: 'unknown', reason: broken.reason }, forMs: NEGATIVE_MS };
    const system = await this.names.lookup(host, family);
    if (system.length > 0) return { resolution: { kind: 'found', addresses: system }, forMs: NEGATIVE_MS };
    if (own !== undefined) return { resolution: { kind: 'inconclusive', reason: own.reason }, forMs: OWN_MS };
    const reason = family === 'ipv6' ? `${host} has no IPv6 address` : `the name ${host} does not exist`;
    return { resolution: { kind: 'unknown', reason }, forMs: NEGATIVE_MS };
  }

  private async askFamilies(host: string, family: Family): Promise<readonly Names[]> {
    const six = this.names.resolve6(host);
    if (family === 'ipv6') return [await six];
    const four = await this.names.resolve4(host);
    if (four.kind !== 'found') return [four, await six];
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Names>((resolve) => (timer = setTimeout(resolve, SECOND_FAMILY_MS, { kind: 'none' })));
    const second = await Promise.race([six, late]);
    clearTimeout(timer);
    return [four, second];
  }
}
