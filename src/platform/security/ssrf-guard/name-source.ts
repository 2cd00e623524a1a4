import { promises as dns } from 'node:dns';
import { ConcurrencyLimit } from '../../../kernel/concurrency-limit.ts';

export type Family = 'any' | 'ipv6';

interface NameRecord {
  readonly address: string;
  /** Seconds. */
  readonly ttl: number;
}

/** `none`: the name or its records do not exist; `broken`: its name servers fail; `inconclusive`: no name server can be reached. */
export type NameAnswer =
  | { readonly kind: 'found'; readonly records: readonly NameRecord[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'broken'; readonly reason: string }
  | { readonly kind: 'inconclusive'; readonly reason: string };

/** A source of addresses; tests use a name server of their own. */
export interface NameSource {
  resolve4(host: string): Promise<NameAnswer>;
  resolve6(host: string): Promise<NameAnswer>;
  /** The answer of the operating system, beyond DNS; empty when it has none. */
  lookup(host: string, family: Family): Promise<readonly string[]>;
  /** When a name server last answered anything (`performance.now()`). */
  heardAt(): number;
}

const NO_SERVER: NameAnswer = { kind: 'inconclusive', reason: 'no name server answers' };
const UNANSWERED = new Set(['ETIMEOUT', 'ECONNREFUSED']);
const NONEXISTENT = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EFORMERR', 'EBADQUERY']);
/** Every reachable resolver answers for the root. */
const CONTROL_NAME = '.';

const codeOf = (error: unknown): string => (typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '');

/** How long a query may take before the control query tests whether any name server answers. */
const CONTROL_AFTER_MS = 600;
const RENEW_MS = 5_000;

/** Queries the resolvers of the machine through c-ares, which reports the time to live and occupies no thread. */
class SystemNames implements NameSource {
  private heard = -Infinity;
  private control: Promise<boolean> | undefined;
  private renewedAt = performance.now();
  /** `dns.lookup` occupies one of the four threads that files and compression use, too. */
  private readonly lookups = new ConcurrencyLimit(2);

  /** `renew` reads the machine's settings again: they change with the network. */
  constructor(
    private resolver: dns.Resolver,
    private readonly renew?: () => dns.Resolver,
  ) {}

  resolve4(host: string): Promise<NameAnswer> {
    return this.ask(host, () => this.resolver.resolve4(host, { ttl: true }));
  }

  resolve6(host: string): Promise<NameAnswer> {
    return this.ask(host, () => this.resolver.resolve6(host, { ttl: true }));
  }

  lookup(host: string, family: Family): Promise<readonly string[]> {
    return this.lookups.run(() =>
      dns.lookup(host, { all: true, family: family === 'ipv6' ? 6 : 0 }).then(
        (found) => found.map(({ address }) => address),
        () => [],
      ),
    );
  }

  heardAt(): number {
    return this.heard;
  }

  private async ask(host: string, question: () => Promise<NameRecord[]>): Promise<NameAnswer> {
    const control = setTimeout(() => void this.isReachable(), CONTROL_AFTER_MS);
    try {
      const records = await question();
      this.heard = performance.now();
      return records.length === 0 ? { kind: 'none' } : { kind: 'found', records };
    } catch (error) {
      const code = codeOf(error);
      if (UNANSWERED.has(code))
        return (await this.isReachable()) ? { kind: 'broken', reason: `the name servers of ${host} do not answer` } : NO_SERVER;
      this.heard = performance.now();
      return NONEXISTENT.has(code) ? { kind: 'none' } : { kind: 'broken', reason: `the name servers of ${host} fail (${code})` };
    } finally {
      clearTimeout(control);
    }
  }

  private renewResolver(): void {
    if (this.renew === undefined || performance.now() - this.renewedAt < RENEW_MS) return;
    this.renewedAt = performance.now();
    this.resolver = this.renew();
  }

  /** Whether any name server answers; concurrent callers share one query. */
  private isReachable(): Promise<boolean> {
    this.control ??= this.resolver
      .resolveNs(CONTROL_NAME)
      .then(
        () => true,
        (error: unknown) => !UNANSWERED.has(codeOf(error)),
      )
      .then((answered) => {
        if (answered) this.heard = performance.now();
        else this.renewResolver();
        setTimeout(() => (this.control = undefined), 1_000).unref();
        return answered;
      });
    return this.control;
  }
}

export const systemNames = (resolver: dns.Resolver = new dns.Resolver({ timeout: 1500, tries: 3 })): NameSource =>
  new SystemNames(resolver);
