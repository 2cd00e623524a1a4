import { isObject } from '../../kernel/is-object.ts';
import type { ImportFindings } from '../findings.ts';
import type { ImportedRule } from '../imported-site.ts';
import type { Monitor } from '../monitor.ts';
import { noteMissing } from '../setting-rows.ts';
import type { SecretText } from '../source-secrets.ts';
import { objectIn, type SourceObject, textIn } from '../source-values.ts';
import { readCondition } from './gatus-condition.ts';
import { type GatusContext, windowsOfGatus } from './gatus-maintenance.ts';
import { gatusSettings, NO_DNS, type GatusVariables } from './gatus-settings.ts';
import { durationSeconds } from './go-duration.ts';

/** As the report names it. */
export const labelOfEndpoint = (endpoint: SourceObject): string =>
  [textIn(endpoint['group']), textIn(endpoint['name'])].filter((part) => part !== '').join(' / ') || 'an endpoint without a name';

/** Null, with its reason among the findings, when a check cannot do the same. */
export function monitorOfEndpoint(endpoint: SourceObject, variables: GatusVariables, context: GatusContext): Monitor | null {
  const { findings } = context;
  const name = labelOfEndpoint(endpoint);
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
  noteMissing(name, own, gatusSettings, findings, 'endpoints[].');
  const clientSettings = objectIn(client);
  noteMissing(name, clientSettings, gatusSettings, findings, 'endpoints[].client.');
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
    id: gatusId(group, textIn(endpoint['name'])),
    name: textIn(endpoint['name']) || url,
    url,
    ...(group !== '' && { group: { id: gatusId('', group), name: group } }),
    isPaused: endpoint['enabled'] === false,
    everySeconds: durationSeconds(endpoint['interval']) ?? 60,
    timeoutSeconds: durationSeconds(clientSettings['timeout']) ?? 10,
    rules,
    maintenance: [
      ...context.maintenance,
      ...windowsOfGatus(endpoint['maintenance-windows'], { name, setting: 'maintenance-windows' }, context),
    ],
    method: textIn(endpoint['method']) || 'GET',
    headers: headersOf(endpoint['headers'], variables),
    body,
    ...(isGraphQl && { contentType: 'application/json' }),
    ignoresRedirects: clientSettings['ignore-redirect'] === true,
  };
}

/** Gatus tells endpoints apart by these. */
export const gatusId = (group: string, name: string): string =>
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

/** Null when it has parts that differ from request to request. */
function bodyOf(endpoint: SourceObject, url: string, variables: GatusVariables): SecretText | null {
  const text = textIn(endpoint['body'])
    .replaceAll('[ENDPOINT_NAME]', textIn(endpoint['name']))
    .replaceAll('[ENDPOINT_GROUP]', textIn(endpoint['group']))
    .replaceAll('[ENDPOINT_URL]', url);
  if (/\[(?:LOCAL_ADDRESS|RANDOM_STRING_\d+)\]/.test(text)) return null;
  return variables.referenced(text !== '' && endpoint['graphql'] === true ? JSON.stringify({ query: text }) : text);
}

function rulesOf(conditions: unknown, name: string, variables: GatusVariables, findings: ImportFindings): readonly ImportedRule[] {
  return (Array.isArray(conditions) ? conditions : []).flatMap((given): readonly ImportedRule[] => {
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
