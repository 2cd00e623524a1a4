import { csvRecords } from '../csv-records.ts';
import type { ImportFindings } from '../findings.ts';
import { sourceText } from '../import-source.ts';
import type { Importer } from '../importer.ts';
import { labelOf, type Monitor } from '../monitor.ts';
import { type ImportedWindow, minuteOfDay, repeatedWindows, weekdaysNamed, zoneNamed } from '../maintenance-windows.ts';
import { arrives, internal, missing, nearest, noteMissing, type SettingRows } from '../setting-rows.ts';
import type { ImportedRule } from '../imported-site.ts';
import { isYes, namesIn, numberIn, objectIn, objectsIn, parsedSource, type SourceObject, textIn } from '../source-values.ts';
import { readStatusRange, statusRules } from '../status-rules.ts';

const NOTIFIED = 'each account chooses its channels and severity for itself';
const CONFIRMED = 'a failure counts once another run confirmed it, 10 to 30 seconds later';
const WINDOWS = '`maintenance` of a site whose monitors all have it, at the same time in UTC all year';
const NO_BROWSER = 'a check does not run a browser';
const NO_PROXY = 'a check uses no proxy';

/** By the names of its API. */
const settings: SettingRows = {
  id: arrives('the key of the check, by which a second import finds it'),
  pronounceable_name: arrives('the name of the check'),
  url: arrives('the address of the check; addresses of one host become one site'),
  monitor_type: nearest('checks of `status`, `expected_status_code`, `keyword` and `keyword_absence`; the other types have no equal'),
  monitor_group_id: arrives('the group of the check, named as in the same file where it lists the groups'),
  paused: arrives('`enabled` of the check'),
  check_frequency: nearest('`uptimeEnabled` of the site for its most frequent monitor, and the period of the check'),
  request_timeout: nearest('`timeout` of the site, 1 to 60 seconds for all of its checks'),
  http_method: arrives('`options.method`'),
  request_headers: arrives('`options.w`, as secrets'),
  request_body: arrives('`options.body`, as a secret'),
  follow_redirects: arrives('`options.l`'),
  expected_status_codes: arrives('rules on the status'),
  required_keyword: arrives('a rule on the HTML'),
  auth_username: arrives('`httpAuth.user` of the group'),
  auth_password: arrives('`httpAuth.password` of the group, as a secret'),
  ssl_expiration: arrives('`sslAlertPeriod` of the site'),
  verify_ssl: nearest('a check always verifies the certificate', true, 'true'),
  ip_version: nearest('`options.6` for IPv6 only; a check cannot be IPv4 only'),
  domain_expiration: missing('a check does not ask when a domain expires'),
  regions: missing('the installation has locations of its own'),
  confirmation_period: nearest(CONFIRMED),
  recovery_period: nearest(CONFIRMED),
  port: missing('checks are made over http and https'),
  remember_cookies: missing('cookies last for one run of a check'),
  ...Object.fromEntries(
    ['email', 'sms', 'call', 'push', 'critical_alert', 'team_wait', 'policy_id', 'expiration_policy_id'].map((name) => [
      name,
      missing(NOTIFIED),
    ]),
  ),
  ...Object.fromEntries(
    ['maintenance_from', 'maintenance_to', 'maintenance_timezone', 'maintenance_days'].map((name) => [name, nearest(WINDOWS)]),
  ),
  ...Object.fromEntries(['playwright_script', 'scenario_name', 'environment_variables'].map((name) => [name, missing(NO_BROWSER)])),
  ...Object.fromEntries(['proxy_host', 'proxy_port'].map((name) => [name, missing(NO_PROXY)])),
  ...Object.fromEntries(
    ['status', 'paused_at', 'last_checked_at', 'created_at', 'updated_at', 'team_name', 'checks_version'].map((name) => [
      name,
      internal('its state there, or the account that has it'),
    ]),
  ),
};

/** Columns of an export that a person reads. */
const ALIASES: Readonly<Record<string, string>> = {
  name: 'pronounceable_name',
  type: 'monitor_type',
  group: 'monitor_group_id',
  group_name: 'monitor_group_id',
  frequency: 'check_frequency',
  timeout: 'request_timeout',
  method: 'http_method',
  keyword: 'required_keyword',
};

const DEFAULT_SECONDS = 180;
const DEFAULT_TIMEOUT = 30;

/** The monitors as its API lists them (JSON) or as a table (CSV). */
export const betterStackImporter: Importer = {
  product: 'Better Stack',
  source: 'its monitors: the answer of its API as JSON, or a table of the same fields as CSV',
  settings,
  read: (source, { findings }) => {
    const text = sourceText(source);
    const records = /^\s*(?:\ufeff)?[[{]/.test(text)
      ? recordsOfJson(parsedSource(text, source.name))
      : csvRecords(text, source.name).map(renamed);
    const groups = new Map(records.filter(({ type }) => type === 'monitor_group').map(({ id, name }) => [textIn(id), textIn(name)]));
    return {
      monitors: records.flatMap((record) => {
        const monitor = record['type'] === 'monitor_group' ? null : monitorOf(record, groups, findings);
        return monitor === null ? [] : [{ ...monitor, maintenance: maintenanceOf(record, labelOf(monitor), source.now, findings) }];
      }),
    };
  },
};

/** Answers have `data`, whose items have `attributes`; several answers may stand in one list. */
function recordsOfJson(given: unknown): readonly SourceObject[] {
  if (Array.isArray(given)) return given.flatMap((one: unknown) => recordsOfJson(one));
  const { data, attributes, ...own } = objectIn(given);
  if (data !== undefined) return recordsOfJson(data);
  if (attributes === undefined) return objectsIn([given]).map(({ type: _, ...record }) => renamed(record));
  return [{ ...objectIn(attributes), id: own['id'], ...(own['type'] === 'monitor_group' && { type: 'monitor_group' }) }];
}

const renamed = (record: SourceObject): SourceObject =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const plain = name
        .trim()
        .toLowerCase()
        .replaceAll(/[\s-]+/g, '_');
      return [ALIASES[plain] ?? plain, value];
    }),
  );

function monitorOf(record: SourceObject, groups: ReadonlyMap<string, string>, findings: ImportFindings): Monitor | null {
  const type = textIn(record['monitor_type']) || 'status';
  const groupId = textIn(record['monitor_group_id']);
  const name = textIn(record['pronounceable_name']) || textIn(record['url']) || 'a monitor without a name';
  const group = groupId === '' ? undefined : { id: `group-${groupId}`, name: groups.get(groupId) ?? groupId };
  const label = labelOf({ name, ...(group !== undefined && { group }) });
  if (!/^(?:status|expected_status_code|keyword|keyword_absence)$/.test(type)) {
    findings.leaveOut(label, type === 'playwright' ? `playwright: ${NO_BROWSER}` : `${type}: checks are made over http and https`);
    return null;
  }
  noteMissing(label, record, settings, findings);
  sayNearest(record, label, findings);
  const user = textIn(record['auth_username']);
  return {
    id: textIn(record['id']) || name,
    name,
    url: textIn(record['url']),
    ...(group !== undefined && { group }),
    isPaused: isYes(record['paused']) || textIn(record['status']) === 'paused',
    everySeconds: numberIn(record['check_frequency']) ?? DEFAULT_SECONDS,
    timeoutSeconds: numberIn(record['request_timeout']) ?? DEFAULT_TIMEOUT,
    rules: rulesOf(record, type),
    method: (textIn(record['http_method']) || 'GET').toUpperCase(),
    headers: objectsIn(record['request_headers']).map(({ name: header, value }) => [textIn(header), textIn(value)]),
    body: textIn(record['request_body']),
    ...(user !== '' && { signIn: { user, password: textIn(record['auth_password']) } }),
    ignoresRedirects: record['follow_redirects'] === false || textIn(record['follow_redirects']) === 'false',
    isIpv6Only: textIn(record['ip_version']) === 'ipv6',
    ...certificateDays(record),
  };
}

/** From a local time to another, every day or on days of the week. */
function maintenanceOf(record: SourceObject, label: string, now: number, findings: ImportFindings): readonly ImportedWindow[] {
  const [from = '', to = '', named = ''] = ['maintenance_from', 'maintenance_to', 'maintenance_timezone'].map((name) =>
    textIn(record[name]),
  );
  if (from === '' || to === '') return [];
  const [start, end] = [minuteOfDay(from), minuteOfDay(to)];
  const zone = zoneOfCity(named === '' ? 'UTC' : named);
  const weekdays = weekdaysNamed(namesIn(record['maintenance_days']));
  const made =
    start === null || end === null || weekdays === null || zone === null
      ? 'its times, days or time zone are not known'
      : repeatedWindows(
          {
            note: `${from} to ${to}`,
            zone,
            startMinute: start,
            minutes: end <= start ? end - start + 1_440 : end - start,
            days: weekdays.length === 0 ? { kind: 'daily' } : { kind: 'weekly', weekdays },
          },
          now,
        );
  if (typeof made === 'string') {
    findings.miss(label, `maintenance from ${from} to ${to} ${named}: ${made}`);
    return [];
  }
  for (const reason of made.changes) findings.change(label, `maintenance: ${reason}`);
  return made.windows;
}

/** Better Stack names zones by a city, such as `Amsterdam`. */
const zoneOfCity = (name: string): string | null =>
  zoneNamed(name) ??
  zoneNamed(Intl.supportedValuesOf('timeZone').find((zone) => zone.endsWith(`/${name.trim().replaceAll(' ', '_')}`)) ?? '');

function sayNearest(record: SourceObject, label: string, findings: ImportFindings): void {
  if (record['verify_ssl'] === false || textIn(record['verify_ssl']) === 'false')
    findings.miss(label, 'verify_ssl: a check fails on a certificate that is not valid');
  if (textIn(record['ip_version']) === 'ipv4') findings.miss(label, 'ip_version: a check cannot be IPv4 only');
  for (const setting of ['confirmation_period', 'recovery_period'])
    if ((numberIn(record[setting]) ?? 0) > 0) findings.change(label, `${setting}: ${CONFIRMED}`);
}

function certificateDays(record: SourceObject): Pick<Monitor, 'certificateDays'> {
  const days = numberIn(record['ssl_expiration']);
  return days === null || days < 1 ? {} : { certificateDays: days };
}

function rulesOf(record: SourceObject, type: string): readonly ImportedRule[] {
  const keyword = textIn(record['required_keyword']);
  if (type.startsWith('keyword') && keyword !== '') return [{ type: 'html', op: type === 'keyword' ? 'sub' : '!sub', val: keyword }];
  const given = record['expected_status_codes'];
  const codes = Array.isArray(given) ? given.map(textIn) : textIn(given).split(/[,;\s[\]]+/);
  const expected = type === 'expected_status_code' ? codes.flatMap((code) => readStatusRange(code) ?? []) : [];
  return statusRules(expected.length > 0 ? expected : [{ from: 200, to: 299 }]);
}
