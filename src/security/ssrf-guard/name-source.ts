import { promises as dns } from 'node:dns';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';

export type Family = 'any' | 'ipv6';

interface NameRecord {
  readonly address: string;
  /** Seconds. */
  readonly ttl: number;
}

/** `none`: the name or its records do not exist; `broken`: its name servers fail; `own`: we reach no name server at all. */
export type Names =
  | { readonly kind: 'found'; readonly records: readonly NameRecord[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'broken'; readonly reason: string }
  | { readonly kind: 'inconclusive'; readonly reason: string };

/** Where names are asked; tests bring a server of their own. */
export interface NameSource {
  resolve4(host: string): Promise<Names>;
  resolve6(host: string): Promise<Names>;
  /** What the system says, beyond DNS; empty when it knows nothing. */
  lookup(host: string, family: Family): Promise<readonly string[]>;
  /** When a name server last answered anything (`performance.now()`). */
  heardAt(): number;
}

const NO_SERVER: Names = { kind: 'inconclusive', reason: 'no name server answers' };
const UNHEARD = new Set(['ETIMEOUT', 'ECONNREFUSED']);
const NOT_THERE = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EFORMERR', 'EBADQUERY']);
/** The root answers whoever reaches any resolver at all. */
const CONTROL_NAME = '.';

const codeOf = (error: unknown): string => (typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '');

/** How old a question may get before the control question is asked beside it. */
const CONTROL_AFTER_MS = 600;
const RENEW_MS = 5_000;

/** Asks the resolvers of the machine through c-ares, so that time to live is known and no thread is held. */
class SystemNames implements NameSource {
  private heard = -Infinity;
  private control: Promise<boolean> | undefined;
  private renewedAt = performance.now();
  /** `dns.lookup` holds one of the four threads that files and compression need too. */
  private readonly lookups = new ConcurrencyLimit(2);

  /** `renew` reads the settings of the machine anew: they change when it moves to another network. */
  constructor(
    private resolver: dns.Resolver,
    private readonly renew?: () => dns.Resolver,
  ) {}

  resolve4(host: string): Promise<Names> {
    return this.ask(host, () => this.resolver.resolve4(host, { ttl: true }));
  }

  resolve6(host: string): Promise<Names> {
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

  private async ask(host: string, question: () => Promise<NameRecord[]>): Promise<Names> {
    const impatience = setTimeout(() => void this.reachable(), CONTROL_AFTER_MS);
    try {
      const records = await question();
      this.heard = performance.now();
      return records.length === 0 ? { kind: 'none' } : { kind: 'found', records };
    } catch (error) {
      const code = codeOf(error);
      if (UNHEARD.has(code))
        return (await this.reachable()) ? { kind: 'broken', reason: `the name servers of ${host} do not answer` } : NO_SERVER;
      this.heard = performance.now();
      return NOT_THERE.has(code) ? { kind: 'none' } : { kind: 'broken', reason: `the name servers of ${host} fail (${code})` };
    } finally {
      clearTimeout(impatience);
    }
  }

  private lookElsewhere(): void {
    if (this.renew === undefined || performance.now() - this.renewedAt < RENEW_MS) return;
    this.renewedAt = performance.now();
    this.resolver = this.renew();
  }

  /** Does any name server answer us at all? Asked once for all that wonder. */
  private reachable(): Promise<boolean> {
    this.control ??= this.resolver
      .resolveNs(CONTROL_NAME)
      .then(
        () => true,
        (error: unknown) => !UNHEARD.has(codeOf(error)),
      )
      .then((answered) => {
        if (answered) this.heard = performance.now();
        else this.lookElsewhere();
        setTimeout(() => (this.control = undefined), 1_000).unref();
        return answered;
      });
    return this.control;
  }
}

export const systemNames = (resolver: dns.Resolver = new dns.Resolver({ timeout: 1500, tries: 3 })): NameSource =>
  new SystemNames(resolver);
