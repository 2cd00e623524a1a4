import { existsSync, statSync } from 'node:fs';
import { readYaml } from '../../../http/site-files/yaml-text.ts';
import { isObject } from '../../../http/validation/input.ts';
import { StartRefused } from '../../../kernel/start-refused.ts';
import { givenFiles } from '../../site-files/given-files.ts';
import { type ImportSource, sourceText } from '../import-source.ts';
import type { Importer, ReadContext } from '../importer.ts';
import type { Monitor } from '../monitor.ts';
import type { SecretText } from '../secret-values.ts';
import { arrives, internal, missing, nearest, noteMissing, type SettingRows } from '../setting-rows.ts';
import type { RuleDocument } from '../site-document.ts';
import { objectIn, objectsIn, type SourceObject, textIn } from '../source-values.ts';
import { readCondition } from './gatus-condition.ts';
import { durationSeconds } from './go-duration.ts';
import { GatusVariables } from './gatus-variables.ts';

const NOTIFIED = 'each account chooses its channels and severity for itself';
const WINDOWS = 'site files have no maintenance windows; announce them in the console';
const NO_DNS = 'a check does not query DNS';
const ONLY_THERE = 'how Gatus itself is shown and run';

const settings: SettingRows = {
  'endpoints[].enabled': arrives('`enabled` of the check', true),
  'endpoints[].name': arrives('the name of the check'),
  'endpoints[].group': arrives('the group of the check'),
  'endpoints[].url': arrives('the address of the check; addresses of one host become one site'),
  'endpoints[].method': arrives('`options.method`'),
  'endpoints[].conditions': nearest('rules; of `[IP]`, `[DNS_RCODE]`, `[DOMAIN_EXPIRATION]` and `[CONTEXT]` there are none'),
  'endpoints[].interval': nearest('`uptimeEnabled` of the site for its most frequent endpoint, and the period of the check'),
  'endpoints[].graphql': arrives('`options.body`, wrapped, with the content type of JSON'),
  'endpoints[].body': arrives('`options.body`, as a secret; without `[LOCAL_ADDRESS]` and `[RANDOM_STRING_N]`'),
  'endpoints[].headers': arrives('`options.w`, as secrets'),
  'endpoints[].client.timeout': nearest('`timeout` of the site, 1 to 60 seconds for all of its checks'),
  'endpoints[].client.ignore-redirect': arrives('`options.l`'),
  'endpoints[].client.insecure': missing('a check fails on a certificate that is not valid'),
  'endpoints[].client.dns-resolver': missing('the service resolves names with the resolver of its machine'),
  'endpoints[].client.oauth2': missing('a check does not ask a token service; use a journey that signs in first'),
  'endpoints[].client.proxy-url': missing('a check uses no proxy'),
  'endpoints[].client.identity-aware-proxy': missing('a check does not sign in with an identity-aware proxy'),
  'endpoints[].client.tls': missing('a check has no client certificate'),
  'endpoints[].client.network': missing('it chooses the network of a ping'),
  'endpoints[].client.tunnel': missing('a check uses no tunnel'),
  'endpoints[].client.store-cookies': missing('cookies last for one run of a check'),
  'endpoints[].alerts': missing(NOTIFIED),
  'endpoints[].maintenance-windows': missing(WINDOWS),
  'endpoints[].extra-labels': missing('measurements have no labels of their own'),
  'endpoints[].ui': internal(ONLY_THERE),
  'endpoints[].dns': missing(NO_DNS),
  'endpoints[].ssh': missing('a check does not sign in with SSH'),
  'endpoints[].store': missing('values are handed on in suites only'),
  'endpoints[].always-run': missing('endpoints of suites have it'),
  'external-endpoints': missing('the service measures for itself and takes no results of others'),
  suites: missing('a suite; make a journey of its requests'),
  alerting: missing(NOTIFIED),
  maintenance: missing(WINDOWS),
  tunneling: missing('a check uses no tunnel'),
  announcements: missing('incidents of a status page say such things'),
  connectivity: internal('the checker knows by itself when its own network is down'),
  remote: missing('import the other instance from its own configuration'),
  ...Object.fromEntries(
    ['web', 'ui', 'storage', 'security', 'metrics', 'concurrency', 'debug', 'disable-monitoring-lock', 'skip-invalid-config-update'].map(
      (setting) => [setting, internal(ONLY_THERE)],
    ),
  ),
};

/** The configuration of Gatus: a file, or a folder whose files it joins. */
export const gatusImporter: Importer = {
  product: 'Gatus',
  source: 'its configuration: a YAML file, or a folder of them',
  settings,
  read: (source, context) => {
    const monitors: Monitor[] = [];
    for (const { name, text } of configurationFiles(source)) {
      const { documents, problems } = readYaml(text);
      const [problem] = problems;
      if (problem !== undefined) throw new StartRefused(`${name}:${String(problem.line)}:${String(problem.column)} ${problem.message}`);
      for (const { value } of documents) {
        if (!isObject(value)) throw new StartRefused(`${name}: is not a configuration of Gatus: it must be a mapping`);
        monitors.push(...monitorsOf(value, source, context));
      }
    }
    return { monitors };
  },
};

const configurationFiles = (source: ImportSource): readonly { readonly name: string; readonly text: string }[] =>
  existsSync(source.name) && statSync(source.name).isDirectory()
    ? givenFiles([source.name])
    : [{ name: source.name, text: sourceText(source) }];

function monitorsOf(config: SourceObject, source: ImportSource, context: ReadContext): readonly Monitor[] {
  const { endpoints, suites, 'external-endpoints': external, ...others } = config;
  noteMissing('the configuration', others, settings, context.findings);
  for (const [setting, list] of Object.entries({ suites, 'external-endpoints': external }))
    for (const one of objectsIn(list)) context.findings.leaveOut(nameOf(one), settings[setting]?.text ?? '');
  return objectsIn(endpoints).flatMap((endpoint) => monitorOf(endpoint, new GatusVariables(source.env), context) ?? []);
}

const nameOf = (endpoint: SourceObject): string =>
  [textIn(endpoint['group']), textIn(endpoint['name'])].filter((part) => part !== '').join(' / ') || 'an endpoint without a name';

function monitorOf(endpoint: SourceObject, variables: GatusVariables, { findings }: ReadContext): Monitor | null {
  const name = nameOf(endpoint);
  const url = variables.filled(textIn(endpoint['url']));
  const { client, ...own } = endpoint;
  const protocol = /^(\w+):/.exec(url)?.[1] ?? 'no protocol';
  const unequal = isObject(endpoint['dns'])
    ? NO_DNS
    : /^https?$/.test(protocol)
      ? null
      : `${protocol}: checks are made over http and https`;
  if (unequal !== null) {
    findings.leaveOut(name, unequal);
    return null;
  }
  noteMissing(name, own, settings, findings, 'endpoints[].');
  const clientSettings = objectIn(client);
  noteMissing(name, clientSettings, settings, findings, 'endpoints[].client.');
  const body = bodyOf(endpoint, url, variables);
  const rules = rulesOf(endpoint['conditions'], name, variables, findings);
  const problem = variables.problem() ?? (body === null ? 'its body has [LOCAL_ADDRESS] or [RANDOM_STRING_N]' : null);
  if (problem !== null || body === null) {
    findings.leaveOut(name, problem ?? '');
    return null;
  }
  const group = textIn(endpoint['group']);
  const isGraphQl = endpoint['graphql'] === true;
  return {
    id: idOf(group, textIn(endpoint['name'])),
    name: textIn(endpoint['name']) || url,
    url,
    ...(group !== '' && { group: { id: idOf('', group), name: group } }),
    isPaused: endpoint['enabled'] === false,
    everySeconds: durationSeconds(endpoint['interval']) ?? 60,
    timeoutSeconds: durationSeconds(clientSettings['timeout']) ?? 10,
    rules,
    method: textIn(endpoint['method']) || 'GET',
    headers: headersOf(endpoint['headers'], variables),
    body,
    ...(isGraphQl && { contentType: 'application/json' }),
    ignoresRedirects: clientSettings['ignore-redirect'] === true,
  };
}

/** Gatus tells endpoints apart by these. */
const idOf = (group: string, name: string): string =>
  [group, name]
    .filter((part) => part !== '')
    .map((part) =>
      part
        .trim()
        .toLowerCase()
        .replaceAll(/[/_., #+&]/g, '-'),
    )
    .join('_');

const headersOf = (headers: unknown, variables: GatusVariables): readonly (readonly [string, SecretText])[] =>
  isObject(headers) ? Object.entries(headers).map(([header, value]) => [header, variables.referenced(textIn(value))]) : [];

/** Null where it has parts that differ from request to request. */
function bodyOf(endpoint: SourceObject, url: string, variables: GatusVariables): SecretText | null {
  const text = textIn(endpoint['body'])
    .replaceAll('[ENDPOINT_NAME]', textIn(endpoint['name']))
    .replaceAll('[ENDPOINT_GROUP]', textIn(endpoint['group']))
    .replaceAll('[ENDPOINT_URL]', url);
  if (/\[(?:LOCAL_ADDRESS|RANDOM_STRING_\d+)\]/.test(text)) return null;
  return variables.referenced(text !== '' && endpoint['graphql'] === true ? JSON.stringify({ query: text }) : text);
}

function rulesOf(conditions: unknown, name: string, variables: GatusVariables, findings: ReadContext['findings']): readonly RuleDocument[] {
  return (Array.isArray(conditions) ? conditions : []).flatMap((given): readonly RuleDocument[] => {
    const condition = variables.filled(textIn(given));
    const read = readCondition(condition);
    if (read.kind === 'implied') return [];
    if (read.kind === 'missing') {
      findings.miss(name, `condition ${condition}: ${read.reason}`);
      return [];
    }
    if (read.nearest !== undefined) findings.change(name, `condition ${condition}: ${read.nearest}`);
    return read.rules;
  });
}
