import { createHash, randomBytes } from 'node:crypto';

/** Sent to the origin of `url` only. */
export interface HttpCredentials {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

type Params = ReadonlyMap<string, string>;

export type AuthChallenge =
  | { readonly scheme: 'basic' }
  | { readonly scheme: 'digest'; readonly hash: string; readonly session: boolean; readonly params: Params };

const HASHES: Readonly<Record<string, string>> = { MD5: 'md5', 'SHA-256': 'sha256', 'SHA-512-256': 'sha512-256' };
const PART = /\s*(?:,\s*)?([A-Za-z0-9!#$%&'*+.^_`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?/y;

/** Parses `Basic realm="a", Digest nonce="b", qop="auth"`: a word without `=` starts a challenge. */
function parseChallenges(header: string): { scheme: string; params: Map<string, string> }[] {
  const found: { scheme: string; params: Map<string, string> }[] = [];
  PART.lastIndex = 0;
  for (let part = PART.exec(header); part !== null; part = PART.exec(header)) {
    const [, word = '', quoted, token] = part;
    const value = quoted?.replace(/\\(.)/g, '$1') ?? token;
    if (value === undefined) found.push({ scheme: word.toLowerCase(), params: new Map() });
    else found.at(-1)?.params.set(word.toLowerCase(), value);
  }
  return found;
}

/** The strongest supported challenge (RFC 7616, RFC 7617). A 401 without a challenge is answered with Basic. */
export function readChallenge(headers: readonly string[]): AuthChallenge | null {
  const offered = headers.flatMap((header) => parseChallenges(header.slice(0, 4096)));
  if (offered.length === 0) return { scheme: 'basic' };
  const digests = offered.flatMap(({ scheme, params }): AuthChallenge[] => {
    if (scheme !== 'digest' || !params.has('nonce')) return [];
    const algorithm = (params.get('algorithm') ?? 'MD5').toUpperCase();
    const hash = HASHES[algorithm.replace(/-SESS$/, '')];
    const qop = params.get('qop');
    const usable = qop === undefined || qop.split(',').some((word) => word.trim() === 'auth');
    return hash === undefined || !usable ? [] : [{ scheme: 'digest', hash, session: algorithm.endsWith('-SESS'), params }];
  });
  const strongest = digests.find((challenge) => challenge.scheme === 'digest' && challenge.hash !== 'md5') ?? digests[0];
  return strongest ?? (offered.some(({ scheme }) => scheme === 'basic') ? { scheme: 'basic' } : null);
}

/** The nonce expired; the password was not refused (RFC 7616, section 3.3). */
export const isStale = (challenge: AuthChallenge): boolean =>
  challenge.scheme === 'digest' && challenge.params.get('stale')?.toLowerCase() === 'true';

const quote = (text: string): string => `"${text.replace(/(["\\])/g, '\\$1')}"`;

/** The value of the Authorization header. */
export function answerChallenge(
  challenge: AuthChallenge,
  credentials: HttpCredentials,
  method: string,
  target: string,
  use: number,
): string {
  if (challenge.scheme === 'basic') return `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`, 'utf8').toString('base64')}`;
  const { hash, session, params } = challenge;
  const digest = (text: string): string => createHash(hash).update(text, 'utf8').digest('hex');
  const realm = params.get('realm') ?? '';
  const nonce = params.get('nonce') ?? '';
  const cnonce = randomBytes(12).toString('hex');
  const count = use.toString(16).padStart(8, '0');
  const secret = digest(`${credentials.user}:${realm}:${credentials.password}`);
  const first = session ? digest(`${secret}:${nonce}:${cnonce}`) : secret;
  const second = digest(`${method}:${target}`);
  const withQop = params.has('qop');
  const response = digest(withQop ? `${first}:${nonce}:${count}:${cnonce}:auth:${second}` : `${first}:${nonce}:${second}`);
  const parts = [
    `username=${quote(credentials.user)}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `uri=${quote(target)}`,
    `response="${response}"`,
  ];
  const algorithm = params.get('algorithm');
  const opaque = params.get('opaque');
  if (algorithm !== undefined) parts.push(`algorithm=${algorithm}`);
  if (opaque !== undefined) parts.push(`opaque=${quote(opaque)}`);
  if (withQop) parts.push('qop=auth', `nc=${count}`, `cnonce="${cnonce}"`);
  else if (session) parts.push(`cnonce="${cnonce}"`);
  return `Digest ${parts.join(', ')}`;
}
