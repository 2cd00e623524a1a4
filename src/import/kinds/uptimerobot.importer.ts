import { csvRecords } from '../csv-records.ts';
import type { ImportFindings } from '../findings.ts';
import { sourceText } from '../import-source.ts';
import type { Importer } from '../importer.ts';
import type { Monitor } from '../monitor.ts';
import { arrives, internal, missing, nearest, noteMissing, type SettingRows } from '../setting-rows.ts';
import type { ImportedRule } from '../imported-site.ts';
import { isYes, namesIn, numberIn, objectIn, objectsIn, parsedSource, type SourceObject, textIn } from '../source-values.ts';
import { readStatusRange, type StatusRange, statusRules } from '../status-rules.ts';
import { literalPattern } from './patterns.ts';
import { windowsOfUptimeRobot } from './uptimerobot-maintenance.ts';

const MEASURED = 'what another product measured';
const NO_SENDING_IN = 'the service measures for itself and takes no results of others';

/** By the names of version 2 of its API; version 3 and the CSV export spell them otherwise. */
const settings: SettingRows = {
  id: arrives('the key of the check, by which a second import finds it'),
  friendly_name: arrives('the name of the check'),
  url: arrives('the address of the check; addresses of one host become one site'),
  type: nearest('checks of `HTTP` and `Keyword`; `Ping`, `Port`, `Heartbeat` and `DNS` have no equal'),
  status: arrives('`enabled` of the check, for paused monitors'),
  interval: nearest('`uptimeEnabled` of the site for its most frequent monitor, and the period of the check'),
  timeout: nearest('`timeout` of the site, 1 to 60 seconds for all of its checks'),
  keyword_type: arrives('a rule that the keyword is there, or is not'),
  keyword_case_type: arrives('the keyword in any case, as a pattern'),
  keyword_value: arrives('a rule on the HTML'),
  http_method: arrives('`options.method`'),
  http_username: arrives('`httpAuth.user` of the group'),
  http_password: arrives('`httpAuth.password` of the group, as a secret'),
  http_auth_type: internal('a check answers to Basic and Digest'),
  post_type: internal('the type of the body says the same'),
  post_value: arrives('`options.body`, as a secret'),
  post_content_type: arrives('`options.contentType`'),
  custom_http_headers: arrives('`options.w`, as secrets'),
  custom_http_statuses: arrives('rules on the status'),
  follow_redirections: arrives('`options.l`', true, 'true', 'yes', 1, '1'),
  ignore_ssl_errors: missing('a check fails on a certificate that is not valid', 'false', 'no', '0'),
  ssl_expiration_reminder: nearest('`sslAlertPeriod` of the site is 14 days, as in a new project'),
  domain_expiration_reminder: missing('a check does not ask when a domain expires', 'false', 'no', '0'),
  sub_type: missing('it chooses the port of a `Port` monitor'),
  port: missing('checks are made over http and https'),
  alert_contacts: missing('each account chooses its channels and severity for itself'),
  mwindows: nearest('`maintenance` of a site whose monitors all have it, its times read as UTC; a table has no times'),
  tags: nearest('`tags` of the site'),
  group: arrives('the group of the check'),
  regional_data: missing('the installation has locations of its own'),
  ...Object.fromEntries(
    ['create_datetime', 'logs', 'response_times', 'average_response_time', 'all_time_uptime_ratio', 'custom_uptime_ratio', 'ssl'].map(
      (name) => [name, internal(MEASURED)],
    ),
  ),
};

/** Other names of the same settings, without the spelling: of version 3 of the API, and of columns. */
const ALIASES: Readonly<Record<string, string>> = {
  name: 'friendly_name',
  monitorname: 'friendly_name',
  urlip: 'url',
  monitorurl: 'url',
  monitortype: 'type',
  monitorid: 'id',
  checkinterval: 'interval',
  monitorinterval: 'interval',
  currentstatus: 'status',
  httpmethodtype: 'http_method',
  keyword: 'keyword_value',
  authtype: 'http_auth_type',
  successhttpresponsecodes: 'custom_http_statuses',
  checksslerrors: 'check_ssl_errors',
  postvaluetype: 'post_type',
  postvaluedata: 'post_value',
  groupname: 'group',
  groupid: 'group',
  assignedalertcontacts: 'alert_contacts',
  maintenancewindows: 'mwindows',
  maintenancewindowsids: 'mwindows',
  tagnames: 'tags',
  createdatetime: 'create_datetime',
  createdat: 'create_datetime',
};
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
const NAMES = new Map([...Object.keys(settings).map((name) => [plain(name), name] as const), ...Object.entries(ALIASES)]);

const TYPES: Readonly<Record<string, string>> = { 1: 'http', 2: 'keyword', 3: 'ping', 4: 'port', 5: 'heartbeat' };
/** The methods of version 2 of its API, which numbers them. */
const METHODS: Readonly<Record<string, string>> = { 1: 'HEAD', 2: 'GET', 3: 'POST', 4: 'PUT', 5: 'PATCH', 6: 'DELETE', 7: 'OPTIONS' };
const DEFAULT_SECONDS = 300;
const DEFAULT_TIMEOUT = 30;

/** The monitors as its API lists them (JSON) or its dashboard exports them (CSV). */
export const uptimeRobotImporter: Importer = {
  product: 'UptimeRobot',
  source: 'its monitors: the answer of its API as JSON, or its export as CSV',
  settings,
  read: (source, { findings }) => {
    const text = sourceText(source);
    const records = /^\s*(?:\ufeff)?[[{]/.test(text) ? recordsOfJson(parsedSource(text, source.name)) : csvRecords(text, source.name);
    return { monitors: records.map(renamed).flatMap((record) => monitorOf(record, source.now, findings) ?? []) };
  },
};

/** A list, or an answer with one; several answers may stand in one list. */
function recordsOfJson(given: unknown): readonly SourceObject[] {
  if (Array.isArray(given)) return objectsIn(given).flatMap((one) => (isAnswer(one) ? recordsOfJson(one) : [one]));
  const { monitors, data } = objectIn(given);
  return objectsIn(monitors ?? data);
}

const isAnswer = (one: SourceObject): boolean => Array.isArray(one['monitors']) || Array.isArray(one['data']);

function renamed(record: SourceObject): SourceObject {
  const own = Object.fromEntries(Object.entries(record).map(([name, value]) => [NAMES.get(plain(name)) ?? name, value]));
  if (!Object.hasOwn(own, 'check_ssl_errors')) return own;
  const { check_ssl_errors: checks, ...rest } = own;
  return { ...rest, ignore_ssl_errors: textIn(checks) !== '' || checks === false ? !isYes(checks) : undefined };
}

function monitorOf(record: SourceObject, now: number, findings: ImportFindings): Monitor | null {
  const name = textIn(record['friendly_name']) || textIn(record['url']) || 'a monitor without a name';
  const type =
    TYPES[textIn(record['type'])] ??
    textIn(record['type'])
      .toLowerCase()
      .replace(/\(s\)|s$/, '');
  if (!/^(?:http|keyword|)$/.test(type)) {
    findings.leaveOut(name, type === 'heartbeat' ? `heartbeat: ${NO_SENDING_IN}` : `${type}: checks are made over http and https`);
    return null;
  }
  noteMissing(name, record, settings, findings);
  const group = textIn(record['group']);
  const user = textIn(record['http_username']);
  const method = textIn(record['http_method']);
  return {
    id: textIn(record['id']) || name,
    name,
    url: textIn(record['url']),
    ...(group !== '' && group !== '0' && { group: { id: `group-${group}`, name: group } }),
    isPaused: /^(?:0|paused)$/i.test(textIn(record['status'])),
    tags: namesIn(record['tags']),
    maintenance: windowsOfUptimeRobot(record['mwindows'], name, now, findings),
    everySeconds: numberIn(record['interval']) ?? DEFAULT_SECONDS,
    timeoutSeconds: numberIn(record['timeout']) ?? DEFAULT_TIMEOUT,
    rules: [...statusRulesOf(record['custom_http_statuses']), ...keywordRules(record, type)],
    method: METHODS[method] ?? (method || 'GET'),
    headers: Object.entries(headersIn(record['custom_http_headers'])).map(([header, value]) => [header, textIn(value)]),
    ...bodyOf(record),
    ...(user !== '' && { signIn: { user, password: textIn(record['http_password']) } }),
    ignoresRedirects: record['follow_redirections'] === false || /^(?:false|no|0)$/i.test(textIn(record['follow_redirections'])),
  };
}

const headersIn = (given: unknown): SourceObject =>
  typeof given === 'string' && given.startsWith('{') ? objectIn(parsedOrNull(given)) : objectIn(given);

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** `{up: [200], down: [404]}`, `404:0_200:1`, or a list of codes; without any, 200 to 399. */
function statusRulesOf(given: unknown): readonly ImportedRule[] {
  const codes = Array.isArray(given)
    ? given
    : (objectIn(given)['up'] ??
      textIn(given)
        .split(/[_,;\s-]+/)
        .filter((code) => !code.endsWith(':0')));
  const ranges = (Array.isArray(codes) ? codes : []).flatMap((code): readonly StatusRange[] => {
    const range = readStatusRange(textIn(code).replace(/:1$/, ''));
    return range === null ? [] : [range];
  });
  return statusRules(ranges.length > 0 ? ranges : [{ from: 200, to: 399 }]);
}

/** It is up where the keyword is not what it alerts about. */
function keywordRules(record: SourceObject, type: string): readonly ImportedRule[] {
  const keyword = textIn(record['keyword_value']);
  if (type !== 'keyword' || keyword === '') return [];
  // 1, "exists": the alert is that the keyword is there.
  const isForbidden = /^(?:1|(?:alert_)?exists)$/i.test(textIn(record['keyword_type']));
  const isAnyCase = /^(?:1|CaseInsensitive|case insensitive)$/i.test(textIn(record['keyword_case_type']));
  const op = isAnyCase ? 'regex' : 'sub';
  return [{ type: 'html', op: isForbidden ? `!${op}` : op, val: isAnyCase ? `(?i)${literalPattern(keyword)}` : keyword }];
}

function bodyOf(record: SourceObject): Pick<Monitor, 'body' | 'contentType'> {
  const given = record['post_value'];
  const isJson = typeof given === 'object' && given !== null;
  const body = isJson ? JSON.stringify(given) : textIn(given);
  if (body === '') return {};
  const named = textIn(record['post_content_type']);
  const isForm = /^(?:0|text\/html)$/.test(named) || (named === '' && /^(?:1|key-value)$/i.test(textIn(record['post_type'])));
  const contentType = isForm ? 'application/x-www-form-urlencoded' : /^(?:1)?$/.test(named) ? 'application/json' : named;
  return {
    body:
      isForm && isJson
        ? new URLSearchParams(Object.entries(given).map(([key, value]): [string, string] => [key, textIn(value)])).toString()
        : body,
    contentType,
  };
}
