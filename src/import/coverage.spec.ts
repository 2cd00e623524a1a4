import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { importedText, type ImportedText } from '../../test/support/imported.ts';
import { coverageMarkdown, withCoverage } from '../../test/import-page/coverage-page.ts';
import { importerTable } from './importer-table.ts';

// When it is not: npm run docs:import
it('docs/import.md says what becomes of each setting, as the importers do', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/import.md'), 'utf8');
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

/** A suite of two steps, of which the second takes a constant, with one setting. */
function suiteWith(setting: string, value: unknown): string {
  const [, ofStep] = /^endpoints\[\]\.(.*)/.exec(setting) ?? [];
  const first = { ...gatusEndpoint, name: 'One', ...(ofStep !== undefined && { [ofStep]: value }) };
  const second = { ...gatusEndpoint, name: 'Two', url: 'https://shop.example/[CONTEXT].page' };
  const suite = { name: 'Journey', endpoints: [first, second] };
  return JSON.stringify({ suites: [{ ...suite, ...(ofStep === undefined && value !== undefined && { [setting]: value }) }] });
}

const gatus: Samples = {
  kind: 'gatus',
  textWith: (setting, value) => {
    if (setting.startsWith('suites[].')) return suiteWith(setting.slice('suites[].'.length), value);
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
    'endpoints[].maintenance-windows': [{ start: '07:30', duration: '1h' }],
    'endpoints[].extra-labels': { team: 'core' },
    'endpoints[].ui': { 'hide-url': true },
    'endpoints[].dns': { 'query-type': 'A' },
    'endpoints[].ssh': { username: 'x' },
    'endpoints[].store': { id: '[BODY].id' },
    'endpoints[].always-run': true,
    'external-endpoints': [{ name: 'Pushed' }],
    'suites[].enabled': false,
    'suites[].name': 'Other',
    'suites[].group': 'Core',
    'suites[].interval': '1h',
    'suites[].timeout': '1m',
    'suites[].context': { page: 'basket' },
    'suites[].endpoints': [gatusEndpoint],
    'suites[].endpoints[].store': { id: '[BODY].id' },
    'suites[].endpoints[].always-run': true,
    alerting: { slack: {}, email: { from: 'x' } },
    maintenance: { start: '23:00', duration: '1h', every: ['Monday'] },
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

/** The record of a JSON source with the setting, and what it needs beside it. */
const recordWith = (base: Source, needed: Readonly<Record<string, Source>>, setting: string, value: unknown): Source => ({
  ...base,
  ...needed[setting],
  [setting]: value,
});

const httpModule = (setting: string, value: unknown): Source => ({ prober: 'http', http: { [setting]: value } });

const blackbox: Samples = {
  kind: 'blackbox',
  textWith: (setting, value) => {
    const [, own = ''] = /^modules\[\]\.http\.(.*)/.exec(setting) ?? [];
    const needed: Readonly<Record<string, Source>> = {
      body: { method: 'POST' },
      body_file: { method: 'POST' },
      ip_protocol_fallback: { preferred_ip_protocol: 'ip6' },
    };
    const module = own === '' ? { prober: 'http' } : { ...httpModule(own, value), http: { ...needed[own], [own]: value } };
    const job: Source = {
      job_name: 'web',
      metrics_path: '/probe',
      params: { module: ['m'] },
      static_configs: [{ targets: ['https://shop.example/'] }],
    };
    const group = { targets: ['https://shop.example/'] };
    if (value !== undefined) {
      if (setting === 'scrape_configs[].static_configs[].targets') job['static_configs'] = [{ targets: value }];
      else if (setting === 'scrape_configs[].static_configs[].labels') job['static_configs'] = [{ ...group, labels: value }];
      else if (setting === 'scrape_configs[].params.module') job['params'] = { module: value };
      else if (setting === 'scrape_configs[].*_sd_configs') job['file_sd_configs'] = value;
      else if (setting.startsWith('scrape_configs[].')) job[setting.slice('scrape_configs[].'.length)] = value;
      else if (own === '') Object.assign(module, { [setting.replace('modules[].', '')]: value });
    }
    return JSON.stringify({ modules: { m: module, other: { prober: 'http', http: { method: 'HEAD' } } }, scrape_configs: [job] });
  },
  values: {
    'scrape_configs[].job_name': 'other',
    'scrape_configs[].static_configs[].targets': ['https://other.example/'],
    'scrape_configs[].static_configs[].labels': { team: 'core' },
    'scrape_configs[].params.module': ['other'],
    'scrape_configs[].scrape_interval': '1h',
    'scrape_configs[].scrape_timeout': '5s',
    'scrape_configs[].*_sd_configs': [{ files: ['x.json'] }],
    'modules[].prober': 'icmp',
    'modules[].timeout': '3s',
    'modules[].http.valid_status_codes': [404],
    'modules[].http.valid_http_versions': ['HTTP/1.1'],
    'modules[].http.enable_http2': false,
    'modules[].http.enable_http3': true,
    'modules[].http.method': 'HEAD',
    'modules[].http.headers': { Accept: 'text/html' },
    'modules[].http.http_headers': { 'X-Key': { secrets: ['x'] } },
    'modules[].http.body': 'x',
    'modules[].http.body_file': '/etc/body',
    'modules[].http.follow_redirects': false,
    'modules[].http.fail_if_ssl': true,
    'modules[].http.fail_if_not_ssl': true,
    'modules[].http.fail_if_body_matches_regexp': ['Fatal'],
    'modules[].http.fail_if_body_not_matches_regexp': ['Basket'],
    'modules[].http.fail_if_header_matches': [{ header: 'Server', regexp: 'old' }],
    'modules[].http.fail_if_header_not_matches': [{ header: 'Server', regexp: 'new' }],
    'modules[].http.fail_if_body_json_matches_cel': 'body.ok',
    'modules[].http.fail_if_body_json_not_matches_cel': 'body.ok',
    'modules[].http.basic_auth': { username: 'u', password: 'p' },
    'modules[].http.authorization': { credentials: 'x' },
    'modules[].http.oauth2': { client_id: 'x' },
    'modules[].http.tls_config': { insecure_skip_verify: true },
    'modules[].http.preferred_ip_protocol': 'ip4',
    'modules[].http.ip_protocol_fallback': false,
    'modules[].http.compression': 'gzip',
    'modules[].http.body_size_limit': '10MB',
    'modules[].http.proxy_url': 'http://127.0.0.1:3128',
    'modules[].http.no_proxy': 'x',
    'modules[].http.proxy_from_environment': true,
    'modules[].http.proxy_connect_header': { a: ['b'] },
    'modules[].http.skip_resolve_phase_with_proxy': true,
  },
};

const checkly: Samples = {
  kind: 'checkly',
  textWith: (setting, value) => {
    const request: Source = { url: 'https://shop.example/', method: 'POST', body: '{}' };
    const check: Source = { id: 'a', name: 'Shop', checkType: 'API', frequency: setting === 'frequencyOffset' ? 0 : 1, request };
    if (setting.startsWith('request.')) request[setting.slice('request.'.length)] = value;
    else if (setting === 'maintenanceWindows') return JSON.stringify({ checks: [{ ...check, tags: ['shop'] }], maintenanceWindows: value });
    else check[setting] = value;
    return JSON.stringify([check]);
  },
  values: {
    ...{ id: 'b', checkType: 'BROWSER', name: 'Other', description: 'x', groupId: 7, activated: false, frequency: 60, frequencyOffset: 30 },
    ...{ maxResponseTime: 800, degradedResponseTime: 500, shouldFail: true },
    maintenanceWindows: [
      { id: 1, name: 'Disks', tags: ['shop'], startsAt: '2027-02-01T00:00:00.000Z', endsAt: '2027-02-01T01:00:00.000Z' },
    ],
    'request.url': 'https://other.example/',
    'request.method': 'PUT',
    'request.queryParameters': [{ key: 'a', value: 'b' }],
    'request.headers': [{ key: 'Accept', value: 'text/html' }],
    'request.body': 'other',
    'request.bodyType': 'JSON',
    'request.assertions': [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '201' }],
    'request.followRedirects': false,
    'request.basicAuth': { username: 'u', password: 'p' },
    'request.skipSSL': true,
    'request.ipFamily': 'IPv6',
    ...{ locations: ['eu-west-1'], privateLocations: ['x'], runParallel: true, tags: ['x'], muted: true },
    ...{ alertSettings: { a: 1 }, alertChannels: { a: 1 }, alertChannelSubscriptions: [1], script: 'x', scriptPath: 'x' },
    ...{
      localSetupScript: 'x',
      localTearDownScript: 'x',
      setupSnippetId: 1,
      tearDownSnippetId: 1,
      environmentVariables: [1],
      dependencies: [1],
    },
    ...{
      doubleCheck: true,
      retryStrategy: { type: 'FIXED' },
      useGlobalAlertSettings: true,
      sslCheck: true,
      sslCheckDomain: 'x',
      groupOrder: 1,
    },
    ...{ runtimeId: 'x', created_at: 'x', updated_at: 'x', triggerIncident: true },
  },
};

const betterStackNeeds = {
  required_keyword: { monitor_type: 'keyword' },
  expected_status_codes: { monitor_type: 'expected_status_code' },
  request_body: { http_method: 'POST' },
  auth_password: { auth_username: 'u' },
  maintenance_from: { maintenance_to: '02:00' },
  maintenance_to: { maintenance_from: '01:00' },
  maintenance_timezone: { maintenance_from: '01:00', maintenance_to: '02:00' },
  maintenance_days: { maintenance_from: '01:00', maintenance_to: '02:00' },
};

const betterStack: Samples = {
  kind: 'better-stack',
  textWith: (setting, value) => {
    const base = { pronounceable_name: 'Shop', url: 'https://shop.example/', monitor_type: 'status', check_frequency: 60 };
    const { id = '1', ...attributes } = recordWith(base, betterStackNeeds, setting, value);
    return JSON.stringify({ data: [{ id, type: 'monitor', attributes }] });
  },
  values: {
    ...{ id: '2', pronounceable_name: 'Other', url: 'https://other.example/', monitor_type: 'ping', monitor_group_id: 7, paused: true },
    ...{
      check_frequency: 3_600,
      request_timeout: 5,
      http_method: 'head',
      request_headers: [{ name: 'Accept', value: 'x' }],
      request_body: 'x',
    },
    ...{
      follow_redirects: false,
      expected_status_codes: [404],
      required_keyword: 'x',
      auth_username: 'u',
      auth_password: 'p',
      ssl_expiration: 7,
    },
    ...{
      verify_ssl: false,
      ip_version: 'ipv6',
      domain_expiration: 7,
      regions: ['eu'],
      confirmation_period: 30,
      recovery_period: 30,
      port: '25',
    },
    ...{ remember_cookies: true, email: true, sms: true, call: true, push: true, critical_alert: true, team_wait: 5, policy_id: '1' },
    ...{
      expiration_policy_id: 1,
      maintenance_from: '01:00',
      maintenance_to: '02:00',
      maintenance_timezone: 'Asia/Tokyo',
      maintenance_days: ['mon'],
    },
    ...{ playwright_script: 'x', scenario_name: 'x', environment_variables: { a: 'b' }, proxy_host: 'x', proxy_port: 1 },
    ...{ status: 'up', paused_at: 'x', last_checked_at: 'x', created_at: 'x', updated_at: 'x', team_name: 'x', checks_version: 1 },
  },
};

const uptimeRobotNeeds = {
  keyword_type: { type: 2, keyword_value: 'x' },
  keyword_case_type: { type: 2, keyword_value: 'x' },
  keyword_value: { type: 2 },
  http_password: { http_username: 'u' },
  post_type: { http_method: 3, post_value: 'x', post_content_type: 'text/plain' },
  post_value: { http_method: 3 },
  post_content_type: { http_method: 3, post_value: 'x' },
};

const uptimeRobot: Samples = {
  kind: 'uptimerobot',
  textWith: (setting, value) => {
    const base = { id: 1, friendly_name: 'Shop', url: 'https://shop.example/', type: 1, interval: 60 };
    return JSON.stringify({ stat: 'ok', monitors: [recordWith(base, uptimeRobotNeeds, setting, value)] });
  },
  values: {
    ...{ id: 2, friendly_name: 'Other', url: 'https://other.example/', type: 3, status: 0, interval: 3_600, timeout: 5 },
    ...{
      keyword_type: 1,
      keyword_case_type: 1,
      keyword_value: 'x',
      http_method: 1,
      http_username: 'u',
      http_password: 'p',
      http_auth_type: 2,
    },
    ...{ post_type: 2, post_value: 'x', post_content_type: 'text/plain', custom_http_headers: { Accept: 'x' } },
    ...{ custom_http_statuses: '404:1_200:0', follow_redirections: false, ignore_ssl_errors: 1, ssl_expiration_reminder: true },
    ...{
      domain_expiration_reminder: true,
      sub_type: 2,
      port: 25,
      alert_contacts: [1],
      mwindows: [{ id: 1, type: 2, friendly_name: 'Nightly', start_time: '02:00', duration: 30, value: '', status: 1 }],
      tags: ['x'],
      group: 'Core',
      regional_data: 'na',
    },
    ...{
      create_datetime: 1,
      logs: [1],
      response_times: [1],
      average_response_time: 1,
      all_time_uptime_ratio: 1,
      custom_uptime_ratio: 1,
      ssl: { a: 1 },
    },
  },
};

const ALL = [gatus, blackbox, checkly, betterStack, uptimeRobot];

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
    if (row?.fate === 'missing') expect(added.join('\n')).toContain(row.text);
    else if (row?.fate === 'internal') expect([isCarried, added]).toEqual([false, []]);
    else expect([row?.fate === 'nearest' && (row.text.includes('as in a new project') || added.length > 0), isCarried]).toContain(true);
  });
});

it.each(ALL)('names a setting of $kind that it does not know', async ({ kind, textWith }) => {
  const { findings } = await importedText(kind, textWith(kind === 'blackbox' ? 'modules[].http.unheard-of' : 'unheard-of', 'x'));
  expect(findings.map(({ reason }) => reason)).toContainEqual(
    expect.stringContaining('unheard-of: a setting that this version does not know'),
  );
});
