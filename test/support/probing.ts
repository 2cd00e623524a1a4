import type { RequestListener } from 'node:http';
import { SsrfGuard } from '../../src/platform/security/ssrf-guard/ssrf-guard.ts';
import { CachedResolver } from '../../src/platform/security/ssrf-guard/resolver.ts';
import type { Answered, FetchOutcome } from '../../src/checker/probe/outcome.ts';
import type { ProbeRequest } from '../../src/checker/probe/probe-request.ts';
import { Prober } from '../../src/checker/probe/prober.ts';
import { makeAuthority } from './servers/certificates.ts';
import { type Site, startHttp } from './servers/site.ts';

export const authority = makeAuthority();
const hosts: Record<string, string[]> = {
  'site.test': ['127.0.0.1'],
  'other.test': ['127.0.0.1'],
  'six.test': ['::1'],
  'half.test': ['127.0.0.99', '127.0.0.1'],
  'refusing.test': ['127.0.0.1', '255.255.255.255'],
};
const guard = new SsrfGuard({
  allowed: ['127.0.0.0/8', '::1/128', '255.255.255.255/32'],
  resolver: new CachedResolver({
    hosts: { addresses: (host) => Promise.resolve(hosts[host] ?? []) },
    names: {
      resolve4: () => Promise.resolve({ kind: 'none' }),
      resolve6: () => Promise.resolve({ kind: 'none' }),
      lookup: () => Promise.resolve([]),
      heardAt: () => performance.now(),
    },
  }),
});
const prober = new Prober({ guard, extraRoots: [authority.cert] });

/** Sites that are closed after each test. */
export class OpenSites {
  private readonly sites: Site[] = [];

  async keep(starting: Promise<Site>): Promise<Site> {
    const site = await starting;
    this.sites.push(site);
    return site;
  }

  serve(listener: RequestListener): Promise<Site> {
    return this.keep(startHttp(listener));
  }

  async close(): Promise<void> {
    for (const site of this.sites.splice(0)) await site.close();
  }
}

export const fetch = (url: string, more: Partial<ProbeRequest> = {}): Promise<FetchOutcome> =>
  prober.fetch({ url, timeoutMs: 30_000, userAgent: 'Watchledger test', ...more });

export async function answered(url: string, more?: Partial<ProbeRequest>): Promise<Answered> {
  const outcome = await fetch(url, more);
  if (outcome.kind !== 'answered') throw new Error(JSON.stringify(outcome));
  return outcome;
}
export const textOf = ({ body }: Answered): string => Buffer.from(body).toString('utf8');
