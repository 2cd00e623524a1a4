import { describe, expect, it } from '@jest/globals';
import { ImportFindings } from './findings.ts';
import type { Monitor } from './monitor.ts';
import { SourceSecrets } from './source-secrets.ts';
import type { ImportedSite } from './imported-site.ts';
import { sitesOfMonitors } from './sites-of-monitors.ts';

interface Made {
  readonly sites: readonly ImportedSite[];
  readonly reasons: readonly string[];
  readonly secrets: ReadonlyMap<string, string>;
}

function made(...monitors: readonly (Partial<Monitor> & { readonly url: string })[]): Made {
  const [findings, secrets] = [new ImportFindings(), new SourceSecrets()];
  const full = monitors.map((monitor, index): Monitor => ({
    id: String(index + 1),
    name: `Monitor ${String(index + 1)}`,
    rules: [],
    ...monitor,
  }));
  const sites = sitesOfMonitors(full, { kind: 'test', findings, secrets, histories: new Map() });
  return { sites, reasons: findings.all.map(({ name, reason }) => `${name}: ${reason}`), secrets: secrets.values };
}

describe('sites of monitors', () => {
  it('are one for each host, of http and https together, with the addresses as checks', () => {
    const { sites } = made(
      { url: 'http://shop.example/old' },
      { url: 'https://shop.example/a?b=c#d' },
      { url: 'https://shop.example:8443/' },
    );
    expect(sites.map(({ key, url, title }) => [key, url, title])).toEqual([
      ['import:test:shop.example', 'https://shop.example', 'shop.example'],
      ['import:test:shop.example-8443', 'https://shop.example:8443', 'Monitor 3'],
    ]);
    expect(sites[0]?.groups[0]?.checks.map(({ key, url }) => [key, url])).toEqual([
      ['import:test:1', 'http://shop.example/old'],
      ['import:test:2', '/a?b=c'],
    ]);
  });

  it('keep the user information of an address out of keys, names and findings', () => {
    const secret = { url: 'https://ann:s3cret@shop.example/x' };
    const { sites, reasons, secrets } = made(
      { ...secret, id: secret.url, name: secret.url, group: { id: secret.url, name: secret.url } },
      { url: 'https://bob:0ther@shop.example/x', id: 'https://bob:0ther@shop.example/x' },
      { url: 'https://shop.example/x', id: 'https://shop.example/x' },
      { url: 'ftp://ann:s3cret@shop.example/', id: 'ftp', name: 'ftp://ann:s3cret@shop.example/' },
    );
    expect(JSON.stringify([sites, reasons])).not.toMatch(/s3cret|0ther/);
    expect(reasons).toEqual(['ftp://shop.example/: its address is not one of http or https']);
    expect([...secrets.values()].toSorted()).toEqual(['0ther', 's3cret']);
    const keys = sites.flatMap(({ groups }) => groups.flatMap(({ checks }) => checks.map(({ key }) => key)));
    expect(new Set(keys).size).toBe(3);
    // As that of the same address without it was before.
    expect(keys).toContain('import:test:https-shop.example-x-a7ecc022');
  });

  it('are probed as often as their most frequent monitor, and checked at the nearest period', () => {
    const { sites, reasons } = made(
      { url: 'https://shop.example/', everySeconds: 3_600 },
      { url: 'https://shop.example/health', everySeconds: 20 },
      { url: 'https://shop.example/b', everySeconds: 300 },
    );
    expect(sites).toMatchObject([{ period: '5 minutes', uptimeEnabled: '30', uptimeUrl: 'https://shop.example/health' }]);
    expect(sites[0]?.groups.map(({ name, period }) => [name, period])).toEqual([
      ['Public, every 1 hour', '1 hour'],
      ['Public', undefined],
    ]);
    expect(reasons).toEqual(['Monitor 2: every 20 s: its address is probed every 30 s and its rules are checked every 5 minutes']);
  });

  it.each<[string, Partial<Monitor>]>([
    ['paused', { isPaused: true }],
    ['rare', { everySeconds: 900 }],
    ['a POST', { method: 'POST' }],
    ['expected to fail', { rules: [{ type: 'status', op: 'eq', val: '404' }] }],
  ])('are not probed where the only monitor is %s', (_, more) => {
    expect(made({ url: 'https://shop.example/', everySeconds: 60, ...more }).sites).toMatchObject([{ uptimeEnabled: 'false' }]);
  });

  it('have the tags of all their monitors, as far as a project may have them', () => {
    const { sites, reasons } = made(
      { url: 'https://shop.example/a', tags: ['team=payments', 'EU, West'] },
      { url: 'https://shop.example/b', tags: ['Team=Payments', 'x'.repeat(41)] },
      { url: 'https://other.example/' },
    );
    expect(sites.map(({ tags }) => tags)).toEqual([['team=payments', 'EU West'], undefined]);
    expect(reasons).toEqual([expect.stringMatching(/^Monitor 2: tags: x+: a site has at most 20, of at most 40 characters$/)]);
  });

  it('sign in by groups, with the password beside the file', () => {
    const { sites, secrets } = made(
      { url: 'https://ann:s%27ecret@shop.example/a' },
      { url: 'https://shop.example/b', signIn: { user: 'bob', password: 'b' } },
      { url: 'https://shop.example/c' },
    );
    expect(sites[0]?.groups.map(({ name, httpAuth, public: isPublic }) => [name, isPublic, httpAuth?.user, httpAuth?.password])).toEqual([
      ['Public, as ann', false, 'ann', '${env:TEST_SHOP_EXAMPLE_ANN_PASSWORD}'],
      ['Public, as bob', false, 'bob', '${env:TEST_SHOP_EXAMPLE_BOB_PASSWORD}'],
      ['Public', undefined, undefined, undefined],
    ]);
    expect([...secrets.values()]).toEqual(["s'ecret", 'b']);
  });

  it('name the values of headers and bodies, apart from those that are no secrets', () => {
    const { sites, reasons, secrets } = made({
      ...{ url: 'https://shop.example/', method: 'post', body: '{"a":1}', contentType: 'application/json' },
      headers: [
        ['Accept', 'text/html'],
        ['X-Api-Key', 'k'],
        ['Host', 'x'],
        ['Content-Length', '7'],
        ['Bad Name', 'x'],
        ['X-Split', 'a\r\nb: c'],
      ],
    });
    expect(sites[0]?.groups[0]?.checks[0]?.options).toEqual({
      w: 'Accept: text/html\nX-Api-Key: ${env:TEST_1_X_API_KEY}',
      ...{ method: 'POST', contentType: 'application/json', body: '${env:TEST_1_BODY}' },
    });
    expect([...secrets]).toEqual([
      ['TEST_1_X_API_KEY', 'k'],
      ['TEST_1_BODY', '{"a":1}'],
    ]);
    expect(reasons).toHaveLength(3);
  });

  it('leave out what a check cannot ask', () => {
    const { sites, reasons } = made(
      { url: 'ftp://shop.example/' },
      { url: 'no address' },
      { url: 'https://shop.example/', method: 'PURGE' },
      { url: 'https://shop.example/', method: 'POST', body: 'x'.repeat(8_193) },
    );
    expect(sites.flatMap(({ groups }) => groups)).toEqual([]);
    expect(reasons).toHaveLength(4);
  });

  it('have at most 2,000 checks and 200 groups, and names that say which is which', () => {
    const { sites } = made(...Array.from({ length: 2_500 }, () => ({ url: 'https://shop.example/', name: 'Same' })));
    expect(sites.map(({ key, groups }) => [key, groups.flatMap(({ checks }) => checks).length])).toEqual([
      ['import:test:shop.example', 2_000],
      ['import:test:shop.example-2', 500],
    ]);
    const names = sites[0]?.groups.flatMap(({ checks }) => checks.map(({ name }) => name)) ?? [];
    expect(new Set(names).size).toBe(2_000);
    const grouped = made(
      ...Array.from({ length: 201 }, (_, nth) => ({ url: 'https://shop.example/', group: { id: String(nth), name: 'G' } })),
    );
    expect(grouped.sites.map(({ groups }) => groups.length)).toEqual([200, 1]);
  });

  it('have 200 windows of their monitors at most, which do not count as size', () => {
    const maintenance = Array.from({ length: 210 }, (_, nth) => ({ from: 'a', to: 'b'.repeat(90), note: String(nth) }));
    const { sites, reasons } = made(
      ...Array.from({ length: 60 }, (_, nth) => ({ url: `https://shop.example/${String(nth)}`, maintenance })),
    );
    expect(sites.map((site) => site.maintenance?.length)).toEqual([200]);
    expect(reasons).toContain('Monitor 60: maintenance 209: a site has at most 200 windows');
  });
});
