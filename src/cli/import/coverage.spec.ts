import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { importedText, type ImportedText } from '../../../test/support/imported.ts';
import { coverageMarkdown, withCoverage } from './coverage-page.ts';
import { importerTable } from './importer-table.ts';

// When it is not: npm run docs:import
it('docs/import.md says what becomes of each setting, as the importers do', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/import.md'), 'utf8');
  expect(page).toBe(withCoverage(page, coverageMarkdown()));
});

type Source = Record<string, unknown>;

/** A source of a kind in which one setting has a value. */
interface Samples {
  readonly kind: string;
  /** The source with this setting. */
  readonly textWith: (setting: string, value: unknown) => string;
  /** A value that asks for something, for each setting of the table. */
  readonly values: Readonly<Record<string, unknown>>;
}

const gatusEndpoint = { name: 'Shop', url: 'https://shop.example/', conditions: ['[STATUS] == 200'] };

const gatus: Samples = {
  kind: 'gatus',
  textWith: (setting, value) => {
    const [, client, own] = /^endpoints\[\]\.(?:(client)\.)?(.*)/.exec(setting) ?? [];
    const endpoint: Source = { ...gatusEndpoint };
    if (setting === 'endpoints[].graphql') Object.assign(endpoint, { body: '{status}', method: 'POST' });
    if (setting === 'endpoints[].body') endpoint['method'] = 'POST';
    if (client !== undefined) endpoint['client'] = { [own ?? '']: value };
    else if (own !== undefined) endpoint[own] = value;
    return JSON.stringify({ endpoints: [endpoint], ...(own === undefined && { [setting]: value }) });
  },
  values: {
    'endpoints[].enabled': false,
    'endpoints[].name': 'Basket',
    'endpoints[].group': 'Core',
    'endpoints[].url': 'https://other.example/',
    'endpoints[].method': 'HEAD',
    'endpoints[].conditions': ['[STATUS] < 300'],
    'endpoints[].interval': '1h',
    'endpoints[].graphql': true,
    'endpoints[].body': 'x',
    'endpoints[].headers': { Accept: 'text/html' },
    'endpoints[].client.timeout': '5s',
    'endpoints[].client.ignore-redirect': true,
    'endpoints[].client.insecure': true,
    'endpoints[].client.dns-resolver': 'tcp://127.0.0.1:53',
    'endpoints[].client.oauth2': { 'client-id': 'x' },
    'endpoints[].client.proxy-url': 'http://127.0.0.1:3128',
    'endpoints[].client.identity-aware-proxy': { audience: 'x' },
    'endpoints[].client.tls': { 'certificate-file': 'x' },
    'endpoints[].client.network': 'ip6',
    'endpoints[].client.tunnel': 'x',
    'endpoints[].client.store-cookies': true,
    'endpoints[].alerts': [{ type: 'slack' }],
    'endpoints[].maintenance-windows': [{ start: '07:30' }],
    'endpoints[].extra-labels': { team: 'core' },
    'endpoints[].ui': { 'hide-url': true },
    'endpoints[].dns': { 'query-type': 'A' },
    'endpoints[].ssh': { username: 'x' },
    'endpoints[].store': { id: '[BODY].id' },
    'endpoints[].always-run': true,
    'external-endpoints': [{ name: 'Pushed' }],
    suites: [{ name: 'Journey' }],
    alerting: { slack: {}, email: { from: 'x' } },
    maintenance: { start: '23:00' },
    tunneling: { jump: {} },
    announcements: [{ message: 'x' }],
    connectivity: { checker: { target: '1.1.1.1:53' } },
    remote: { instances: [{ url: 'x' }] },
    web: { port: 1 },
    ui: { title: 'x' },
    storage: { type: 'memory' },
    security: { basic: {} },
    metrics: true,
    concurrency: 1,
    debug: true,
    'disable-monitoring-lock': true,
    'skip-invalid-config-update': true,
  },
};

const ALL = [gatus];

const settingOf = (text: string): string => text.replaceAll('`', '');

describe.each(ALL)('the table of $kind', ({ kind, textWith, values }) => {
  const settings = importerTable[kind]?.settings ?? {};

  it('has a sample of every setting', () => {
    expect(Object.keys(values).toSorted()).toEqual(Object.keys(settings).map(settingOf).toSorted());
  });

  it.each(Object.keys(values))('is true of %s', async (setting) => {
    const [without, given] = [
      await importedText(kind, textWith(setting, undefined)),
      await importedText(kind, textWith(setting, values[setting])),
    ];
    const isCarried = JSON.stringify(given.sites) !== JSON.stringify(without.sites);
    const row = settings[setting];
    const names = (found: ImportedText): readonly string[] => found.findings.map(({ reason }) => reason);
    const added = names(given).filter((reason) => !names(without).includes(reason));
    if (row?.fate === 'missing') expect(added.join('\n')).toContain(row.text.slice(0, 20));
    else expect(isCarried).toBe(row?.fate !== 'internal');
    if (row?.fate === 'internal') expect(added).toEqual([]);
  });
});

it.each(ALL)('names a setting of $kind that it does not know', async ({ kind, textWith }) => {
  const { findings } = await importedText(kind, textWith('unheard-of', 'x'));
  expect(findings.map(({ reason }) => reason)).toContainEqual(
    expect.stringContaining('unheard-of: a setting that this version does not know'),
  );
});
