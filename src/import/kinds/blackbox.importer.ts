import { existsSync, statSync } from 'node:fs';
import { readYaml } from '../../site-files/yaml-text.ts';
import { StartRefused } from '../../kernel/start-refused.ts';
import { givenFiles } from '../../site-files/command-line/given-files.ts';
import { type ImportSource, sourceText } from '../import-source.ts';
import type { Importer, ReadContext } from '../importer.ts';
import { labelOf, type Monitor } from '../monitor.ts';
import type { SecretText } from '../source-secrets.ts';
import { arrives, internal, missing, nearest, noteMissing, type SettingRows } from '../setting-rows.ts';
import type { ImportedRule } from '../imported-site.ts';
import { objectIn, objectsIn, type SourceObject, textIn } from '../source-values.ts';
import { readStatusRange, statusRules } from '../status-rules.ts';
import { durationSeconds } from './go-duration.ts';
import { literalPattern } from './patterns.ts';

const NO_PROXY = 'a check uses no proxy';
const NO_CEL = 'rules have no CEL; write them as JSON rules';
const DISCOVERED = 'only static targets are read; discovered ones are not in a file';

const settings: SettingRows = {
  'scrape_configs[].job_name': arrives('the group of the check'),
  'scrape_configs[].static_configs[].targets': arrives('the addresses of the checks; addresses of one host become one site'),
  'scrape_configs[].static_configs[].labels': missing('measurements have no labels of their own'),
  'scrape_configs[].params.module': arrives('the settings of the module are those of the check'),
  'scrape_configs[].scrape_interval': nearest('`uptimeEnabled` of the site for its most frequent target, and the period of the check'),
  'scrape_configs[].scrape_timeout': nearest('`timeout` of the site, unless the module has a shorter one'),
  'scrape_configs[].*_sd_configs': missing(DISCOVERED),
  'modules[].prober': nearest('`http`; the other probers have no equal'),
  'modules[].timeout': nearest('`timeout` of the site, 1 to 60 seconds for all of its checks'),
  'modules[].http.valid_status_codes': arrives('rules on the status'),
  'modules[].http.valid_http_versions': nearest('`options.2` where HTTP/2 is not among them', 'HTTP/2.0'),
  'modules[].http.enable_http2': arrives('`options.2`'),
  'modules[].http.enable_http3': missing('a check uses HTTP/1 and HTTP/2'),
  'modules[].http.method': arrives('`options.method`'),
  'modules[].http.headers': arrives('`options.w`, as secrets'),
  'modules[].http.http_headers': arrives('`options.w`, as secrets; of files by reference'),
  'modules[].http.body': arrives('`options.body`, as a secret'),
  'modules[].http.body_file': arrives('`options.body`, as a reference to the file'),
  'modules[].http.follow_redirects': arrives('`options.l`'),
  'modules[].http.fail_if_ssl': arrives('a rule that there is no certificate'),
  'modules[].http.fail_if_not_ssl': arrives('a rule that there is a certificate'),
  'modules[].http.fail_if_body_matches_regexp': arrives('rules on the HTML, in the same syntax'),
  'modules[].http.fail_if_body_not_matches_regexp': arrives('rules on the HTML, in the same syntax'),
  'modules[].http.fail_if_header_matches': arrives('rules on a header'),
  'modules[].http.fail_if_header_not_matches': nearest('rules on a header, which must be there'),
  'modules[].http.fail_if_body_json_matches_cel': missing(NO_CEL),
  'modules[].http.fail_if_body_json_not_matches_cel': missing(NO_CEL),
  'modules[].http.basic_auth': arrives('`httpAuth` of the group; of a file by reference'),
  'modules[].http.authorization': arrives('a header of the check, as a secret; of a file by reference'),
  'modules[].http.oauth2': missing('a check does not ask a token service; use a journey that signs in first'),
  'modules[].http.tls_config': missing('a check has no client certificate, and fails on a certificate that is not valid'),
  'modules[].http.preferred_ip_protocol': internal('it counts with `ip_protocol_fallback: false`'),
  'modules[].http.ip_protocol_fallback': nearest('`options.6` for IPv6 only; a check cannot be IPv4 only'),
  'modules[].http.compression': missing('a check accepts every compression'),
  'modules[].http.body_size_limit': missing('a check reads 5 MiB'),
  ...Object.fromEntries(
    ['proxy_url', 'no_proxy', 'proxy_from_environment', 'proxy_connect_header', 'skip_resolve_phase_with_proxy'].map((name) => [
      `modules[].http.${name}`,
      missing(NO_PROXY),
    ]),
  ),
};

const DEFAULT_INTERVAL = 60;
const DEFAULT_TIMEOUT = 10;

/** Modules of the exporter and the jobs of Prometheus that probe through it. */
export const blackboxImporter: Importer = {
  product: 'blackbox_exporter',
  source: 'a folder with the modules of the exporter and the configuration of Prometheus, or a file with both as YAML documents',
  settings,
  read: (source, context) => {
    const documents = configurationFiles(source).flatMap(({ name, text }) => documentsOf(text, name));
    const modules = Object.assign({}, ...documents.map((one) => objectIn(one['modules']))) as SourceObject;
    const jobs = documents.flatMap((one) => objectsIn(one['scrape_configs']).map((job) => ({ job, global: objectIn(one['global']) })));
    if (jobs.length === 0) throw new StartRefused(`${source.name}: has no scrape_configs of Prometheus`);
    return { monitors: jobs.flatMap(({ job, global }) => monitorsOfJob(job, global, modules, context)) };
  },
};

const configurationFiles = (source: ImportSource): readonly { readonly name: string; readonly text: string }[] =>
  existsSync(source.name) && statSync(source.name).isDirectory()
    ? givenFiles([source.name])
    : [{ name: source.name, text: sourceText(source) }];

function documentsOf(text: string, name: string): readonly SourceObject[] {
  const { documents, problems } = readYaml(text);
  const [problem] = problems;
  if (problem !== undefined) throw new StartRefused(`${name}:${String(problem.line)}:${String(problem.column)} ${problem.message}`);
  return documents.map(({ value }) => objectIn(value));
}

function monitorsOfJob(job: SourceObject, global: SourceObject, modules: SourceObject, { findings }: ReadContext): readonly Monitor[] {
  const name = textIn(job['job_name']) || 'a job without a name';
  const reason = reasonToLeaveOut(job, modules);
  if (reason !== null) {
    findings.leaveOut(name, reason);
    return [];
  }
  for (const setting of Object.keys(job)) if (setting.endsWith('_sd_configs')) findings.miss(name, `${setting}: ${DISCOVERED}`);
  const moduleName = moduleOf(job);
  const module = objectIn(modules[moduleName]);
  const http = objectIn(module['http']);
  const group = { id: name, name };
  return objectsIn(job['static_configs']).flatMap(({ targets, labels }) =>
    (Array.isArray(targets) ? targets : []).map((target: unknown): Monitor => {
      const url = /^https?:\/\//.test(textIn(target)) ? textIn(target) : `http://${textIn(target)}`;
      const label = labelOf({ name: url, group });
      noteMissing(label, { labels }, settings, findings, 'scrape_configs[].static_configs[].');
      noteMissing(label, http, settings, findings, 'modules[].http.');
      const timeout = durationSeconds(job['scrape_timeout']) ?? durationSeconds(global['scrape_timeout']) ?? DEFAULT_TIMEOUT;
      return {
        id: `${name} ${moduleName} ${textIn(target)}`,
        name: url,
        url,
        group,
        everySeconds: durationSeconds(job['scrape_interval']) ?? durationSeconds(global['scrape_interval']) ?? DEFAULT_INTERVAL,
        timeoutSeconds: Math.min(timeout, durationSeconds(module['timeout']) ?? timeout),
        ...requestOf(http, label, findings),
        rules: rulesOf(http, label, findings),
      };
    }),
  );
}

const moduleOf = (job: SourceObject): string => {
  const { module } = objectIn(job['params']);
  return textIn(Array.isArray(module) ? module[0] : module);
};

function reasonToLeaveOut(job: SourceObject, modules: SourceObject): string | null {
  if (!textIn(job['metrics_path']).endsWith('/probe')) return 'a job that scrapes metrics';
  const name = moduleOf(job);
  const { prober } = objectIn(modules[name]);
  if (prober === undefined) return `its module ${name || '(none)'} is not among the files`;
  return prober === 'http' ? null : `${textIn(prober)}: checks are made over http and https`;
}

type Request = Pick<Monitor, 'method' | 'headers' | 'body' | 'ignoresRedirects' | 'isHttp1Only' | 'isIpv6Only'> &
  Partial<Pick<Monitor, 'signIn'>>;

function requestOf(http: SourceObject, label: string, findings: ReadContext['findings']): Request {
  const { basic_auth: basicAuth, ip_protocol_fallback: fallback, preferred_ip_protocol: family } = http;
  const { username, password, password_file: passwordFile } = objectIn(basicAuth);
  const versions: readonly unknown[] = Array.isArray(http['valid_http_versions']) ? http['valid_http_versions'] : [];
  if (fallback === false && family === 'ip4') findings.miss(label, 'modules[].http.ip_protocol_fallback: a check cannot be IPv4 only');
  return {
    method: textIn(http['method']) || 'GET',
    headers: headersOf(http),
    body: valueOrFile(http['body'], http['body_file']),
    ignoresRedirects: http['follow_redirects'] === false,
    isHttp1Only: http['enable_http2'] === false || (versions.length > 0 && !versions.includes('HTTP/2.0')),
    isIpv6Only: fallback === false && family !== 'ip4',
    ...(textIn(username) !== '' && { signIn: { user: textIn(username), password: valueOrFile(password, passwordFile) } }),
  };
}

const valueOrFile = (value: unknown, file: unknown, before = ''): SecretText =>
  textIn(value) !== '' || textIn(file) === ''
    ? textIn(value) === ''
      ? ''
      : `${before}${textIn(value)}`
    : { reference: `${before}\${file:${textIn(file)}}` };

function headersOf(http: SourceObject): readonly (readonly [string, SecretText])[] {
  const { type = 'Bearer', credentials, credentials_file: credentialsFile } = objectIn(http['authorization']);
  const authorization = valueOrFile(credentials, credentialsFile, `${textIn(type)} `);
  return [
    ...(authorization === '' ? [] : [['Authorization', authorization] as const]),
    ...Object.entries(objectIn(http['headers'])).map(([header, value]) => [header, textIn(value)] as const),
    ...Object.entries(objectIn(http['http_headers'])).flatMap(([header, given]) => {
      const { values, secrets, files } = objectIn(given);
      const last = (list: unknown): unknown => (Array.isArray(list) ? list.at(-1) : undefined);
      const value = valueOrFile(last(secrets) ?? last(values), last(files));
      return value === '' ? [] : [[header, value] as const];
    }),
  ];
}

const rule = (type: string, op: string, val: string): ImportedRule => ({ type, op, val });
const textsIn = (list: unknown): readonly string[] => (Array.isArray(list) ? list.map(textIn) : []);

function rulesOf(http: SourceObject, label: string, findings: ReadContext['findings']): readonly ImportedRule[] {
  const codes = textsIn(http['valid_status_codes']).flatMap((code) => readStatusRange(code) ?? []);
  return [
    ...statusRules(codes.length > 0 ? codes : [{ from: 200, to: 299 }]),
    ...(http['fail_if_ssl'] === true ? [rule('cert:key', '!sub', '')] : []),
    ...(http['fail_if_not_ssl'] === true ? [rule('cert:key', 'sub', '')] : []),
    ...textsIn(http['fail_if_body_matches_regexp']).map((pattern) => rule('html', '!regex', pattern)),
    ...textsIn(http['fail_if_body_not_matches_regexp']).map((pattern) => rule('html', 'regex', pattern)),
    ...objectsIn(http['fail_if_header_matches']).flatMap((spec) => forbiddenHeader(spec)),
    ...objectsIn(http['fail_if_header_not_matches']).map((spec) => {
      if (spec['allow_missing'] === true) findings.change(label, `the header ${textIn(spec['header'])} must be there, too`);
      return rule('header', 'regex', headerPattern(spec));
    }),
  ];
}

/** Without `allow_missing` a header that is not there fails the probe, too. */
const forbiddenHeader = (spec: SourceObject): readonly ImportedRule[] => [
  rule('header', '!regex', headerPattern(spec)),
  ...(spec['allow_missing'] === true ? [] : [rule('header', 'regex', `^(?i:${literalPattern(textIn(spec['header']))}):`)]),
];

/** Over a whole line `Name: value`, in which the pattern is searched behind the name. */
function headerPattern({ header, regexp }: SourceObject): string {
  const pattern = textIn(regexp);
  const name = `^(?i:${literalPattern(textIn(header))}): `;
  return pattern.startsWith('^') ? `${name}(?:${pattern.slice(1)})` : `${name}.*(?:${pattern})`;
}
