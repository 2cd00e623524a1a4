import { type Component, identifierOf } from './signature-base.ts';

const ofRequest = (...names: readonly string[]): readonly Component[] => names.map((name) => ({ name, isOfRequest: true }));
const ofAnswer = (...names: readonly string[]): readonly Component[] => names.map((name) => ({ name, isOfRequest: false }));

const PARTS = ofRequest('@authority', '@path', '@query');
const WHOLE = ofRequest('@target-uri');
const ALWAYS = [
  ...ofRequest('@method'),
  ...ofAnswer('@status', 'content-digest', 'content-type', 'date', 'watchledger-as-of', 'watchledger-receipt'),
];

/** What a receipt covers where the request lists nothing: who was asked for what, and everything that the answer says. */
export const RECEIPT_COMPONENTS: readonly Component[] = [...ofRequest('@method'), ...PARTS, ...ALWAYS.slice(1)];

const COVERABLE = new Set([...RECEIPT_COMPONENTS, ...WHOLE, ...ofRequest('@scheme'), ...ofAnswer('etag')].map(identifierOf));

/** Why a signature over these components is no receipt; null when it is one. */
export function coverProblem(components: readonly Component[]): string | null {
  const covered = components.map(identifierOf);
  const foreign = covered.find((identifier) => !COVERABLE.has(identifier));
  if (foreign !== undefined) return `${foreign} cannot be covered`;
  if (new Set(covered).size < covered.length) return 'a component is listed twice';
  const missing = (wanted: readonly Component[]): readonly string[] => wanted.map(identifierOf).filter((one) => !covered.includes(one));
  const [first] = [...missing(ALWAYS), ...(missing(WHOLE).length === 0 ? [] : missing(PARTS))];
  return first === undefined ? null : `${first} must be covered`;
}

/** What the request asks, by component; the target is that of the request line. */
export interface AskedTarget {
  readonly method: string;
  readonly scheme: string;
  /** Host, with the port unless it is the one of the scheme. */
  readonly authority: string;
  /** Path and query. */
  readonly target: string;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };

export function requestComponents({ method, scheme, authority, target }: AskedTarget): Readonly<Record<string, string>> {
  const at = target.indexOf('?');
  const [path, query] = at < 0 ? [target, '?'] : [target.slice(0, at), target.slice(at)];
  const port = DEFAULT_PORTS[scheme] ?? '';
  const host = authority.toLowerCase();
  const shown = port !== '' && host.endsWith(port) ? host.slice(0, -port.length) : host;
  return {
    '@method': method,
    '@scheme': scheme,
    '@authority': shown,
    '@target-uri': `${scheme}://${shown}${target}`,
    '@path': path,
    '@query': query,
  };
}
