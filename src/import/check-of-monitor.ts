import { isHeaderValue, readExtraHeaders } from '../projects/checks/extra-headers.ts';
import { type CheckMethod, checkMethods, hasBody } from '../projects/checks/check.settings.ts';
import type { ImportFindings } from './findings.ts';
import { importKey } from './import-key.ts';
import { labelOf, type Monitor } from './monitor.ts';
import type { SecretText, SourceSecrets } from './source-secrets.ts';
import type { ImportedCheck, ImportedCheckOptions } from './imported-site.ts';

const MAX_BODY = 8 * 1024;
/** Headers whose values are no secrets; of all others the site file names the value only. */
const OPEN_HEADERS = new Set(
  ['accept', 'accept-encoding', 'accept-language', 'cache-control', 'content-type', 'origin', 'pragma', 'referer', 'user-agent'].concat([
    'x-requested-with',
  ]),
);

interface Context {
  readonly kind: string;
  readonly findings: ImportFindings;
  readonly secrets: SourceSecrets;
}

/** Null, with its reason among the findings, when a check cannot ask what the monitor asks. */
export function checkOfMonitor(monitor: Monitor, url: string, context: Context): ImportedCheck | null {
  const { id, name, isPaused = false, notice = '', rules } = monitor;
  const options = optionsOf(monitor, context);
  if (options === null) return null;
  return {
    key: importKey(context.kind, id),
    name,
    url,
    ...(isPaused && { enabled: false }),
    ...(notice !== '' && { notice }),
    ...(rules.length > 0 && { rules }),
    ...(Object.keys(options).length > 0 && { options }),
  };
}

function optionsOf(monitor: Monitor, { kind, findings, secrets }: Context): ImportedCheckOptions | null {
  const { id, contentType = '', body = '', extract = [], uses = [] } = monitor;
  const name = labelOf(monitor);
  const method = methodOf(monitor.method);
  if (method === null) {
    findings.leaveOut(name, `sends ${monitor.method ?? ''}, a method that checks do not send`);
    return null;
  }
  if (typeof body === 'string' && Buffer.byteLength(body) > MAX_BODY) {
    findings.leaveOut(name, 'its request has a body of more than 8 KiB');
    return null;
  }
  const sendsBody = hasBody(method) && body !== '';
  if (!sendsBody && body !== '') findings.miss(name, `the body of a ${method} request, which has none here`);
  const w = headerLines(monitor, { kind, findings, secrets });
  return {
    ...switchesOf(monitor),
    ...(w !== '' && { w }),
    ...(method !== 'GET' && { method }),
    ...(sendsBody && contentType !== '' && { contentType }),
    ...(sendsBody && { body: secrets.reference([kind, id, 'body'], body) }),
    ...(extract.length > 0 && { extract }),
    ...(uses.length > 0 && { uses }),
  };
}

const switchesOf = ({ isHttp1Only, isIpv6Only, ignoresRedirects }: Monitor): ImportedCheckOptions => ({
  ...(isHttp1Only === true && { '2': true }),
  ...(isIpv6Only === true && { '6': true }),
  ...(ignoresRedirects === true && { l: true }),
});

const methodOf = (given = 'GET'): CheckMethod | null => checkMethods.find((method) => method === given.toUpperCase()) ?? null;

function headerLines(monitor: Monitor, { kind, findings, secrets }: Context): string {
  const { id, headers = [], body = '' } = monitor;
  return headers
    .flatMap(([header, value]) => {
      const read = readExtraHeaders(`${header}: x`);
      const problem = !read.ok
        ? read.reason
        : read.headers.length !== 1
          ? 'an extra header without a name'
          : isSendable(value)
            ? null
            : `the value of the extra header ${header} has a control character`;
      if (problem === null) return [`${header}: ${shownValue(header, value, () => secrets.reference([kind, id, header], value))}`];
      // A length is computed from the body that is sent.
      if (header.toLowerCase() !== 'content-length' || body === '') findings.miss(labelOf(monitor), problem);
      return [];
    })
    .join('\n');
}

const isSendable = (value: SecretText): boolean => typeof value !== 'string' || isHeaderValue(value);

function shownValue(header: string, value: SecretText, reference: () => string): string {
  const isOpen = typeof value === 'string' && OPEN_HEADERS.has(header.toLowerCase()) && !value.includes('${');
  return isOpen ? value : reference();
}
