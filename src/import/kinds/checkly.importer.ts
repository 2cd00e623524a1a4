import type { ImportFindings } from '../findings.ts';
import { type ImportSource, sourceText } from '../import-source.ts';
import type { Importer, ReadContext } from '../importer.ts';
import { labelOf, type Monitor } from '../monitor.ts';
import type { SecretText } from '../source-secrets.ts';
import { arrives, internal, missing, nearest, noteMissing, type SettingRows } from '../setting-rows.ts';
import type { ImportedRule } from '../imported-site.ts';
import { namesIn, numberIn, objectIn, objectsIn, parsedSource, type SourceObject, textIn } from '../source-values.ts';
import { readAssertion } from './checkly-assertion.ts';
import { maintenanceOfCheckly, windowsOfTags } from './checkly-maintenance.ts';

const NO_BROWSER = 'a check does not run a browser or a script';
const NOTIFIED = 'each account chooses its channels and severity for itself';
const OWN_LOCATIONS = 'the installation has locations of its own';

/** By the names of its API. */
const settings: SettingRows = {
  id: arrives('the key of the check, by which a second import finds it'),
  checkType: nearest('checks of `API` and `URL`; browsers, scripts, heartbeats and other protocols have no equal'),
  name: arrives('the name of the check'),
  description: arrives('the note of the check'),
  groupId: arrives('the group of the check, named as in the same file where it lists the groups'),
  activated: arrives('`enabled` of the check'),
  frequency: nearest('`uptimeEnabled` of the site for its most frequent check, and the period of the check'),
  frequencyOffset: nearest('the seconds of a frequency below a minute'),
  maxResponseTime: arrives('a rule on the time'),
  degradedResponseTime: missing('a check passes or fails; add a rule on the time', 3_000, 5_000, 10_000),
  shouldFail: missing('it passes while its request fails'),
  'request.url': arrives('the address of the check, with its query; addresses of one host become one site'),
  'request.method': arrives('`options.method`'),
  'request.queryParameters': arrives('the query of the address'),
  'request.headers': arrives('`options.w`, as secrets'),
  'request.body': arrives('`options.body`, as a secret'),
  'request.bodyType': arrives('`options.contentType`', 'NONE'),
  'request.assertions': nearest('rules; one on a key with a pattern has no equal'),
  'request.followRedirects': arrives('`options.l`'),
  'request.basicAuth': arrives('`httpAuth` of the group'),
  'request.skipSSL': missing('a check fails on a certificate that is not valid'),
  'request.ipFamily': nearest('`options.6` for IPv6 only', 'IPv4'),
  ...Object.fromEntries(['locations', 'privateLocations', 'runParallel'].map((name) => [name, missing(OWN_LOCATIONS)])),
  tags: nearest('`tags` of the site'),
  maintenanceWindows: nearest('`maintenance` of a site whose checks all have it by their tags; each interval of one day, week or month'),
  ...Object.fromEntries(['alertSettings', 'alertChannels', 'alertChannelSubscriptions', 'muted'].map((name) => [name, missing(NOTIFIED)])),
  ...Object.fromEntries(
    [
      'script',
      'scriptPath',
      'localSetupScript',
      'localTearDownScript',
      'setupSnippetId',
      'tearDownSnippetId',
      'environmentVariables',
      'dependencies',
    ].map((name) => [name, missing(NO_BROWSER)]),
  ),
  ...Object.fromEntries(['doubleCheck', 'retryStrategy'].map((name) => [name, internal('one more run confirms each failure')])),
  ...Object.fromEntries(
    ['useGlobalAlertSettings', 'sslCheck', 'sslCheckDomain', 'groupOrder', 'runtimeId', 'created_at', 'updated_at', 'triggerIncident'].map(
      (name) => [name, internal('its state there, or how Checkly runs it')],
    ),
  ),
};

const TYPES = new Set(['API', 'URL']);
const MINUTE = 60;

/** Checks, groups and maintenance windows as its API lists them. */
export const checklyImporter: Importer = {
  product: 'Checkly',
  source: 'its checks as JSON: the answer of its API, or an object with checks, groups and maintenanceWindows',
  settings,
  read: (source, context) => {
    const given = parsedSource(sourceText(source), source.name);
    const { checks, groups, maintenanceWindows } = Array.isArray(given) ? { checks: given } : objectIn(given);
    const byId = new Map(objectsIn(groups).map((group) => [textIn(group['id']), group]));
    const maintenance = maintenanceOfCheckly(maintenanceWindows, source.now, context.findings);
    return {
      monitors: objectsIn(checks)
        .flatMap((check) => monitorOf(check, byId.get(textIn(check['groupId'])), source, context) ?? [])
        .map((monitor) => ({ ...monitor, maintenance: windowsOfTags(maintenance, monitor.tags ?? []) })),
    };
  },
};

function monitorOf(
  check: SourceObject,
  inGroup: SourceObject | undefined,
  { env }: ImportSource,
  { findings }: ReadContext,
): Monitor | null {
  const { request: given, ...own } = check;
  const name = textIn(check['name']) || 'a check without a name';
  const groupId = textIn(check['groupId']);
  const group = groupId === '' ? undefined : { id: `group-${groupId}`, name: textIn(inGroup?.['name']) || `group ${groupId}` };
  const label = labelOf({ name, ...(group !== undefined && { group }) });
  const request = objectIn(given);
  const defaults = objectIn(inGroup?.['apiCheckDefaults']);
  const url = addressOf(request, defaults, env);
  const reason = reasonToLeaveOut(check) ?? (url.unset === null ? null : `the variable ${url.unset} is not set`);
  if (reason !== null) {
    findings.leaveOut(label, reason);
    return null;
  }
  noteMissing(label, own, settings, findings);
  noteMissing(label, request, settings, findings, 'request.');
  const { username, password } = objectIn(request['basicAuth'] ?? defaults['basicAuth']);
  return {
    id: textIn(check['id']) || name,
    name,
    url: url.text,
    notice: textIn(check['description']),
    ...(group !== undefined && { group }),
    tags: [...namesIn(inGroup?.['tags']), ...namesIn(check['tags'])],
    isPaused: check['activated'] === false || inGroup?.['activated'] === false,
    everySeconds: everySeconds(check),
    rules: rulesOf(check, [...objectsIn(defaults['assertions']), ...objectsIn(request['assertions'])], label, findings),
    method: textIn(request['method']) || 'GET',
    headers: [...objectsIn(defaults['headers']), ...objectsIn(request['headers'])].map(({ key, value }) => [
      textIn(key),
      referenced(textIn(value)),
    ]),
    ...bodyOf(request),
    ...(textIn(username) !== '' && { signIn: { user: textIn(username), password: referenced(textIn(password)) } }),
    ignoresRedirects: request['followRedirects'] === false,
    isIpv6Only: request['ipFamily'] === 'IPv6',
  };
}

function reasonToLeaveOut(check: SourceObject): string | null {
  const type = textIn(check['checkType']) || 'API';
  if (!TYPES.has(type)) return `${type}: ${/BROWSER|STEP|PLAYWRIGHT/.test(type) ? NO_BROWSER : 'checks are made over http and https'}`;
  return check['shouldFail'] === true ? (settings['shouldFail']?.text ?? '') : null;
}

const VARIABLE = /\{\{\{?\s*([A-Za-z_]\w*)\s*\}?\}\}/g;

/** `{{NAME}}` is a variable of its account, which a site file takes from the environment. */
function referenced(text: string): SecretText {
  const reference = text.replaceAll(VARIABLE, (_, name: string) => `\${env:${name}}`);
  return reference === text ? text : { reference };
}

/** With its query; variables in it need values now. */
function addressOf(
  request: SourceObject,
  defaults: SourceObject,
  env: ImportSource['env'],
): { readonly text: string; readonly unset: string | null } {
  let unset: string | null = null;
  const base = textIn(defaults['url']);
  const filled = (text: string): string =>
    text.replaceAll(VARIABLE, (_, name: string) => {
      const value = name === 'GROUP_BASE_URL' && base !== '' ? base : env[name];
      if (value === undefined) unset ??= name;
      return value ?? '';
    });
  const query = objectsIn(request['queryParameters']).map(({ key, value }): [string, string] => [
    filled(textIn(key)),
    filled(textIn(value)),
  ]);
  const url = filled(textIn(request['url']));
  const search = new URLSearchParams(query).toString();
  return { text: search === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${search}`, unset };
}

/** In minutes; below one, the offset has the seconds. */
function everySeconds(check: SourceObject): number {
  const minutes = numberIn(check['frequency']) ?? 10;
  return minutes > 0 ? minutes * MINUTE : (numberIn(check['frequencyOffset']) ?? MINUTE);
}

function rulesOf(
  check: SourceObject,
  assertions: readonly SourceObject[],
  label: string,
  findings: ImportFindings,
): readonly ImportedRule[] {
  const most = numberIn(check['maxResponseTime']);
  return [
    ...assertions.flatMap((assertion) => {
      const read = readAssertion(assertion);
      if (read.kind === 'rules') return read.rules;
      findings.miss(label, `request.assertions: ${read.shown}: ${read.reason}`);
      return [];
    }),
    ...(most === null ? [] : [{ type: 'time', op: 'lte', val: String(most) }]),
  ];
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  JSON: 'application/json',
  GRAPHQL: 'application/json',
  FORM: 'application/x-www-form-urlencoded',
};

function bodyOf(request: SourceObject): Pick<Monitor, 'body' | 'contentType'> {
  const type = textIn(request['bodyType']);
  const body = type === 'NONE' ? '' : textIn(request['body']);
  const contentType = CONTENT_TYPES[type];
  return body === '' ? {} : { body: referenced(body), ...(contentType !== undefined && { contentType }) };
}
