import { isUrl, originOf } from '../../kernel/url.ts';
import type { ReadContext } from '../importer.ts';
import type { Monitor } from '../monitor.ts';
import { noteMissing } from '../setting-rows.ts';
import { objectIn, objectsIn, type SourceObject, textIn } from '../source-values.ts';
import { jsonPathOf } from './gatus-condition.ts';
import { gatusId, labelOfEndpoint, monitorOfEndpoint } from './gatus-endpoint.ts';
import type { GatusContext } from './gatus-maintenance.ts';
import { gatusSettings, type GatusVariables } from './gatus-settings.ts';
import { durationSeconds } from './go-duration.ts';

const DEFAULT_SECONDS = 600;
const CONTEXT = /\[CONTEXT\]\.([A-Za-z0-9_-]+)/gi;

interface Step {
  readonly monitor: Monitor;
  readonly extract: readonly { readonly name: string; readonly from: string }[];
}

/** A suite is a group of checks in order that hand values on: a journey (docs/journeys.md). */
export function monitorsOfSuite(suite: SourceObject, variables: () => GatusVariables, context: GatusContext): readonly Monitor[] {
  const name = labelOfEndpoint(suite);
  const { endpoints, enabled, interval, context: given, ...own } = suite;
  noteMissing(name, { ...own, ...(enabled === false && { enabled }) }, gatusSettings, context.findings, 'suites[].');
  const constants = new Map(Object.entries(objectIn(given)).map(([key, value]) => [key, textIn(value)]));
  const stored = new Set<string>();
  const steps = objectsIn(endpoints).flatMap((endpoint): readonly Step[] => {
    const { store, 'always-run': _, ...request } = endpoint;
    const filled = withContext(request, constants, stored);
    const monitor = monitorOfEndpoint({ ...filled.endpoint, group: name }, variables(), context);
    if (monitor === null) return [];
    const extract = extractions(store, `${name} / ${textIn(endpoint['name'])}`, context);
    for (const one of extract) stored.add(one.name);
    return [{ monitor: { ...monitor, uses: filled.uses }, extract }];
  });
  const home = steps[0] === undefined ? '' : new URL(steps[0].monitor.url).host;
  return steps.map(({ monitor, extract }, nth) => ({
    ...monitor,
    id: gatusId(name, monitor.name),
    group: { id: `suite-${gatusId('', name)}`, name },
    siteHost: home,
    everySeconds: durationSeconds(interval) ?? DEFAULT_SECONDS,
    isPaused: monitor.isPaused === true || enabled === false,
    extract: extract.map((one) => withOrigins(one, monitor, steps.slice(nth + 1))),
  }));
}

/** Names of values are those of journeys, which have no hyphens. */
const valueName = (key: string): string => key.replaceAll('-', '_');

/** Constants stand where they are used; of stored values their names do. */
function withContext(
  endpoint: SourceObject,
  constants: ReadonlyMap<string, string>,
  stored: ReadonlySet<string>,
): { readonly endpoint: SourceObject; readonly uses: readonly string[] } {
  const uses = new Set<string>();
  const filled = (text: string, isCondition = false): string =>
    text.replaceAll(CONTEXT, (whole, key: string) => {
      const name = valueName(key);
      if (!stored.has(name) || isCondition) return constants.get(key) ?? whole;
      uses.add(name);
      return `{{${name}}}`;
    });
  const { url, body, headers, conditions } = endpoint;
  const made = {
    ...endpoint,
    url: filled(textIn(url)),
    ...(body !== undefined && { body: filled(textIn(body)) }),
    headers: Object.fromEntries(Object.entries(objectIn(headers)).map(([header, value]) => [header, filled(textIn(value))])),
    conditions: (Array.isArray(conditions) ? conditions : []).map((condition: unknown) => filled(textIn(condition), true)),
  };
  return { endpoint: made, uses: [...uses] };
}

function extractions(store: unknown, label: string, { findings }: ReadContext): Step['extract'] {
  return Object.entries(objectIn(store)).flatMap(([key, value]) => {
    const path = /^\[BODY\](.*)$/is.exec(textIn(value).trim())?.[1];
    const query = path === undefined ? null : path === '' ? '$' : jsonPathOf(path);
    if (query !== null) return [{ name: valueName(key), from: `json:${query}` }];
    findings.miss(label, `store ${key}: only values of a JSON answer can be handed on`);
    return [];
  });
}

/** A value goes to the site that gave it, and to others by name only. */
function withOrigins(one: Step['extract'][number], { url }: Monitor, later: readonly Step[]): object {
  const users = later.filter(({ monitor }) => monitor.uses?.includes(one.name) === true && isUrl(monitor.url));
  const others = [...new Set(users.map(({ monitor }) => originOf(monitor.url)))].filter((origin) => origin !== originOf(url));
  return { ...one, ...(others.length > 0 && { origins: others }) };
}
