import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { imported, type ImportedText, reasonsOf } from '../../../test/support/imported.ts';
import { sampleBytes, unpackSample } from '../../../test/support/import-samples.ts';
import { ImportFindings } from '../findings.ts';
import { SourceSecrets } from '../source-secrets.ts';
import type { ImportedSite } from '../imported-site.ts';
import { sitesOfMonitors } from '../sites-of-monitors.ts';
import { readSqlite } from '../sqlite/read-sqlite.ts';
import type { SqliteRecord } from '../sqlite/sqlite-database.ts';
import { jsonPathOfJsonata, monitorOfKuma } from './uptime-kuma-monitor.ts';
import { columnsOfOtherTypes, uptimeKumaSettings } from './uptime-kuma-settings.ts';

let folder: string;
/** Databases that these versions of Uptime Kuma wrote; of version 1 with the log of the running program. */
const versions = { '1.23.17': '', '2.5.3': '' };
const found: Record<string, ImportedText> = {};
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'watchledger-kuma-'));
  versions['1.23.17'] = unpackSample(folder, 'uptime-kuma/1.23.17.db');
  unpackSample(folder, 'uptime-kuma/1.23.17.db-wal');
  versions['2.5.3'] = unpackSample(folder, 'uptime-kuma/2.5.3.db');
  for (const [version, path] of Object.entries(versions)) found[version] = await imported('uptime-kuma', path);
});
afterAll(() => rmSync(folder, { recursive: true }));

const of = (version: string): ImportedText => {
  const one = found[version];
  if (one === undefined) throw new Error(version);
  return one;
};

describe.each(['1.23.17', '2.5.3'])('a database of Uptime Kuma %s', (version) => {
  it('becomes a site for each host, with its monitors as checks', () => {
    const { sites, secrets } = of(version);
    const [shop] = sites;
    expect(shop).toMatchObject({
      ...{ key: 'import:uptime-kuma:127.0.0.1-3999', url: 'http://127.0.0.1:3999', period: '5 minutes', uptimeEnabled: '30', timeout: 48 },
      tags: ['team=payments'],
    });
    expect(shop?.groups[0]).toMatchObject({ key: 'import:uptime-kuma:group-1', name: 'Shop' });
    const checks = new Map(of(version).checks.map((check) => [check.name, check]));
    expect(checks.get('Front page')).toMatchObject({
      ...{ key: 'import:uptime-kuma:2', url: '/', notice: 'The page that customers see first' },
      rules: [
        { type: 'status', op: 'gte', val: '200' },
        { type: 'status', op: 'lte', val: '299' },
      ],
    });
    expect(checks.get('Basket')).toMatchObject({
      rules: [
        { type: 'status', op: 'regex', val: String.raw`^(?:2\d\d|301)$` },
        { type: 'html', op: 'sub', val: 'Add to basket' },
      ],
      options: { l: true },
    });
    expect(checks.get('No error')?.rules).toContainEqual({ type: 'html', op: '!sub', val: 'Fatal error' });
    expect(checks.get('Health')?.rules).toContainEqual({ type: 'json:$.status', op: 'match', val: 'ok' });
    expect(checks.get('Orders')?.options).toMatchObject({ method: 'POST', contentType: 'application/json' });
    expect(checks.get('Summer sale')).toMatchObject({ enabled: false });
    expect([...secrets.values()]).toEqual(expect.arrayContaining(['sample-key', '{"sku": "A-1"}', "it's secret"]));
    expect(sites.find(({ url }) => url === 'https://127.0.0.1:3998')).toMatchObject({ sslAlertPeriod: 21 });
  });

  it('counts up and down of each day from the table that has most of it', () => {
    const { histories, findings } = of(version);
    const history = histories.get('import:uptime-kuma:127.0.0.1-3999');
    expect(history).toEqual({ from: '2026-11-26', up: [38, 1], down: [0, 0] });
    expect(findings).toContainEqual({ kind: 'not carried', name: 'Shop / Basket', reason: 'history: a site has that of one monitor' });
  });

  it('has the maintenance that all monitors of a site have, once or repeated', () => {
    const { sites } = of(version);
    const maintenanceOf = (url: string) => sites.find((site) => site.url === url)?.maintenance;
    expect(maintenanceOf('http://127.0.0.1:3999')).toEqual([
      { from: '2027-01-01T02:00:00+00:00', to: '2027-01-01T03:15:00+00:00', note: 'Backup: The disks are busy', repeat: 'daily' },
      { from: '2099-06-01T22:00:00+02:00', to: '2099-06-02T04:30:00+02:00', note: 'New disks' },
    ]);
    const texts = maintenanceOf('https://127.0.0.1:3998')?.map(
      ({ from, to, note, repeat }) => `${note} ${from} ${to.slice(0, 16)} ${repeat ?? ''}`,
    );
    expect(texts).toEqual([
      'Weekend 2027-01-02T23:30:00+01:00 2027-01-03T00:30 weekly',
      'Weekend 2027-01-03T23:30:00+01:00 2027-01-04T00:30 weekly',
      'Month ends 2027-01-01T02:00:00+00:00 2027-01-01T03:00 monthly',
      'Month ends 2027-01-31T02:00:00+00:00 2027-01-31T03:00 monthly',
      // It is the last day of December there.
      ...['05', '06', '07', '01', '02'].map((day) => `Working days 2026-01-${day}T04:30:00-07:00 2026-01-${day}T06:00 weekly`),
      ...['01', '02', '03'].map((day) => `Three nights 2099-01-${day}T01:00:00+00:00 2099-01-${day}T01:30 `),
      'As the server 2027-01-06T02:00:00+00:00 2027-01-06T03:00 weekly',
    ]);
  });

  it('names the maintenance that windows cannot say, and what they say otherwise', () => {
    expect(reasonsOf(of(version)).filter((reason) => reason.includes('maintenance'))).toEqual([
      'changed: maintenance Weekend: Europe/Berlin: a window stays at its time in UTC when summer time begins and ends',
      'left out: maintenance First days: cron 0 0 * 1,7 *: windows repeat daily, weekly or monthly',
      'left out: maintenance By hand: it is switched on and off by hand',
      'left out: maintenance Every third day: every 3 days: windows repeat daily, weekly or monthly',
      'left out: maintenance Last year: it is over',
      'left out: maintenance Switched off: it is switched off',
      'changed: maintenance As the server: its time zone is that of the machine of Kuma, which the database does not have: read as UTC',
      'not carried: Shop / Basket: maintenance Basket update: a window is of a whole site, and other checks of the site do not have it',
    ]);
  });

  it('has its status pages, with what is imported of their items', () => {
    const project = 'import:uptime-kuma:127.0.0.1-3999';
    const item = (name: string, id: number) => ({ name, project, check: `import:uptime-kuma:${String(id)}` });
    expect(of(version).pages).toEqual([
      {
        statusPage: {
          ...{ slug: 'shop', title: 'Shop', words: { about: 'What works **now**', footer: 'Call us' } },
          groups: [
            { name: 'Customers', items: [item('Front page', 2), item('Basket', 3)] },
            { name: 'Inside', items: [item('Health', 5), { name: 'Shop', project, group: 'import:uptime-kuma:group-1' }] },
          ],
        },
      },
    ]);
    expect(reasonsOf(of(version)).filter((reason) => reason.includes('status page'))).toEqual([
      'not carried: status page Shop: status_page.show_tags: a page does not show tags',
      'not carried: status page Shop: status_page.custom_css: a page has colours, and no style of its own',
      'not carried: status page Shop: status_page_cname status.shop.example: give the page its host names once it is there',
      'not carried: status page Shop: incident Slow: post it on the page once it is there',
      'not carried: status page Shop / Router: it is not imported',
      'not carried: status page Shop / Front page: a page shows it once',
      'left out: status page Nothing yet: it has no item that is a check here',
    ]);
  });

  it('says by name what has no equal', () => {
    expect(reasonsOf(of(version))).toEqual(
      expect.arrayContaining([
        'left out: Router: ping: checks are made over http and https',
        'left out: Nightly backup: push: the service measures for itself and takes no results of others',
        'left out: Old shop is gone: it is up while its address is down (upside down)',
        'left out: Mutual: a check has no client certificate',
        'not carried: Shop / Front page: notifications by Team chat (webhook): each account chooses its channels and severity for itself',
        'changed: Shop / Front page: 2 retries: one more run confirms each failure',
      ]),
    );
  });

  it.each(['monitor', 'maintenance', 'status_page'])('has no column of a %s that the table of settings lacks', async (table) => {
    const [row] = await readSqlite(versions[version as keyof typeof versions], (database) => [...database.rows(table)]);
    const columns = Object.keys(row ?? {}).filter((column) => !/^maintenance\.id$/.test(`${table}.${column}`));
    expect(columns.length).toBeGreaterThan(10);
    expect(columns.filter((column) => !Object.hasOwn(uptimeKumaSettings, `${table}.${column}`))).toEqual([]);
  });
});

it('reads comparisons of version 2, and names expressions of JSONata that have no equal', () => {
  expect(of('2.5.3').checks.find(({ name }) => name === 'Queue')?.rules).toContainEqual({
    type: 'json:$.queue.length',
    op: 'lt',
    val: '100',
  });
  expect(reasonsOf(of('1.23.17'))).toContain(
    'not carried: Queue: monitor.json_path: $sum(queue.items): only paths of names and indexes have an equal',
  );
  expect(of('2.5.3').checks.find(({ name }) => name === 'Token')?.options?.w).toBe('Authorization: ${env:UPTIME_KUMA_19_AUTHORIZATION}');
});

it.each([
  ['status', '$.status'],
  ['$.a[0].b', '$.a[0].b'],
  ['$', '$'],
  ['a.`b`', '$.a.b'],
  ['[0].x', '$[0].x'],
  ['$count(a)', null],
  ['a[b=1]', null],
  ['a.*', null],
])('reads the path %j of JSONata', (query, expected) => {
  expect(jsonPathOfJsonata(query)).toBe(expected);
});

/** A value of each column that asks for something, and of the others that it needs. */
const values: Readonly<Record<string, SqliteRecord>> = {
  ...{ id: { id: 99 }, type: { type: 'ping' }, name: { name: 'Other' }, description: { description: 'x' }, active: { active: 0 } },
  ...{ url: { url: 'http://other.example/' }, method: { method: 'HEAD' }, body: { body: '{}', method: 'POST' } },
  ...{ http_body_encoding: { http_body_encoding: 'xml', method: 'POST', body: 'x' }, headers: { headers: '{"Accept": "x"}' } },
  ...{ interval: { interval: 3_600 }, timeout: { timeout: 5 }, maxretries: { maxretries: 3 }, retry_interval: { retry_interval: 9 } },
  ...{ resend_interval: { resend_interval: 5 }, retry_only_on_status_code_failure: { retry_only_on_status_code_failure: 1 } },
  ...{ accepted_statuscodes_json: { accepted_statuscodes_json: '["404"]' }, maxredirects: { maxredirects: 3 } },
  ...{ keyword: { type: 'keyword', keyword: 'x' }, invert_keyword: { type: 'keyword', keyword: '', invert_keyword: 1 } },
  ...{ json_path: { type: 'json-query', json_path: 'a' }, json_path_operator: { type: 'json-query', json_path_operator: '>' } },
  ...{ expected_value: { type: 'json-query', expected_value: '7' }, auth_method: { auth_method: 'basic', basic_auth_user: 'u' } },
  ...{ basic_auth_user: { auth_method: 'basic', basic_auth_user: 'v' }, basic_auth_pass: { auth_method: 'basic', basic_auth_pass: 'p' } },
  ...{
    bearer_token: { auth_method: 'bearer', bearer_token: 't' },
    ignore_tls: { ignore_tls: 1 },
    expiry_notification: { expiry_notification: 1 },
  },
  ...Object.fromEntries(['auth_domain', 'auth_workstation'].map((column) => [column, { auth_method: 'ntlm', [column]: 'x' }])),
  ...Object.fromEntries(
    ['client_id', 'client_secret', 'token_url', 'scopes', 'auth_method', 'audience'].map((name) => [
      `oauth_${name}`,
      { auth_method: 'oauth2-cc' },
    ]),
  ),
  ...Object.fromEntries(['tls_ca', 'tls_cert', 'tls_key'].map((column) => [column, { auth_method: 'mtls', [column]: 'x' }])),
  ...{ domain_expiry_notification: { domain_expiry_notification: 1 }, upside_down: { upside_down: 1 }, ip_family: { ip_family: 'ipv6' } },
  ...{
    cache_bust: { cache_bust: 1 },
    proxy_id: { proxy_id: 1 },
    remote_browser: { remote_browser: 1 },
    screenshot_delay: { screenshot_delay: 1 },
  },
  ...Object.fromEntries(
    ['save_response', 'save_error_response', 'response_max_length', 'user_id', 'weight', 'created_date'].map((column) => [
      column,
      { [column]: 5 },
    ]),
  ),
};

describe('the table of settings of Uptime Kuma', () => {
  const base: SqliteRecord = { id: 1, type: 'http', name: 'Shop', url: 'http://shop.example/', interval: 60, active: 1, maxredirects: 10 };
  const outcomeOf = (record: SqliteRecord): { readonly sites: readonly ImportedSite[]; readonly reasons: readonly string[] } => {
    const [findings, secrets] = [new ImportFindings(), new SourceSecrets()];
    const monitor = monitorOfKuma({ record, path: [], isPaused: record['active'] === 0, certificateDays: 21 }, findings);
    const sites = sitesOfMonitors(monitor === null ? [] : [monitor], { kind: 'uptime-kuma', findings, secrets, histories: new Map() });
    return { sites, reasons: findings.all.map(({ reason }) => reason) };
  };
  const columns = Object.keys(uptimeKumaSettings)
    .flatMap((setting) => /^monitor\.(\w+)$/.exec(setting)?.[1] ?? [])
    .filter((column) => !columnsOfOtherTypes.has(column) && column !== 'parent');

  it.each(columns)('is true of %s', (column) => {
    const row = uptimeKumaSettings[`monitor.${column}`];
    const { [column]: _, ...needed } = values[column] ?? {};
    const [without, given] = [outcomeOf({ ...base, ...needed }), outcomeOf({ ...base, ...values[column] })];
    expect(values[column]).toBeDefined();
    const isCarried = JSON.stringify(given.sites) !== JSON.stringify(without.sites);
    if (row?.fate === 'missing') expect(given.reasons.join('\n')).toContain(row.text);
    else if (row?.fate === 'internal') expect(given).toEqual(without);
    else expect(isCarried || given.reasons.length > without.reasons.length).toBe(true);
  });
});

it('refuses a database of a newer version with its version, and one of another program', async () => {
  const path = unpackSample(folder, 'sqlite/many-pages.db');
  await expect(imported('uptime-kuma', path)).rejects.toThrow('is no database of Uptime Kuma');
  const newer = join(folder, 'newer.db');
  writeFileSync(
    newer,
    Buffer.from(sampleBytes('uptime-kuma/2.5.3.db').toString('latin1').replaceAll('2026-08-18-0000', '2027-01-01-0000'), 'latin1'),
  );
  await expect(imported('uptime-kuma', newer)).rejects.toThrow(
    'newer.db: is of a newer version of Uptime Kuma, with the migration 2027-01-01-0000-sqlite-only-drop-analytics-type-check.js',
  );
});
