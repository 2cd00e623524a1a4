import type { SecretText } from '../source-secrets.ts';
import { arrives, internal, missing, nearest, type SettingRows } from '../setting-rows.ts';

const VARIABLE = /\$(?:\$|\{([^}]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;

/** `${NAME}` and `$NAME`, which Gatus replaces by variables of its environment, and `$$`, which is a dollar. */
export class GatusVariables {
  private readonly unset = new Set<string>();

  constructor(private readonly env: Readonly<Record<string, string | undefined>>) {}

  /** With the values of this environment. */
  filled(text: string): string {
    return text.replaceAll(VARIABLE, (whole, braced?: string, bare?: string) => {
      if (whole === '$$') return '$';
      const name = braced ?? bare ?? '';
      const value = this.env[name];
      if (value === undefined) this.unset.add(name);
      return value ?? '';
    });
  }

  /** As site files refer to variables in secrets, so that no value is needed now. */
  referenced(text: string): SecretText {
    let hasVariable = false;
    const reference = text.replaceAll(VARIABLE, (whole, braced?: string, bare?: string) => {
      if (whole === '$$') return '$';
      hasVariable = true;
      return `\${env:${braced ?? bare ?? ''}}`;
    });
    return hasVariable ? { reference } : reference;
  }

  /** Null when every variable that was filled in has a value. */
  problem(): string | null {
    const [name] = this.unset;
    return name === undefined ? null : `the variable ${name} is not set`;
  }
}

const NOTIFIED = 'each account chooses its channels and severity for itself';
const WINDOWS = '`maintenance` of a site whose endpoints all have it, every day or weekly, at the same time in UTC all year';
export const NO_DNS = 'a check does not query DNS';
const ONLY_THERE = 'how Gatus itself is shown and run';

export const gatusSettings: SettingRows = {
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
  'endpoints[].maintenance-windows': nearest(WINDOWS),
  'endpoints[].extra-labels': missing('measurements have no labels of their own'),
  'endpoints[].ui': internal(ONLY_THERE),
  'endpoints[].dns': missing(NO_DNS),
  'endpoints[].ssh': missing('a check does not sign in with SSH'),
  'endpoints[].store': missing('values are handed on in suites only'),
  'endpoints[].always-run': missing('endpoints of suites have it'),
  'external-endpoints': missing('the service measures for itself and takes no results of others'),
  'suites[].enabled': arrives('`enabled` of its checks', true),
  'suites[].name': arrives('the group of its checks, whose order they keep'),
  'suites[].group': arrives('the group of its checks, before the name'),
  'suites[].interval': nearest('the period of the group'),
  'suites[].timeout': missing('a journey has no timeout as a whole'),
  'suites[].context': arrives('its values where they are used'),
  'suites[].endpoints': nearest('a journey of checks; without conditions on values of the context'),
  'suites[].endpoints[].store': nearest('`options.extract`, of values in a JSON answer'),
  'suites[].endpoints[].always-run': internal('a check of a journey runs unless it lacks a value'),
  alerting: missing(NOTIFIED),
  maintenance: nearest(WINDOWS),
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
