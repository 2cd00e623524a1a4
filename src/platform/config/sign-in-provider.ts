import type { Parse, VariableReader } from './variable-reader.ts';
import { parseListOf, parseOneOf, parseText, parseUrl } from './values.ts';

/** OpenID Connect sign-in of one provider; docs/accounts.md explains the settings. */
export interface SignInProviderConfig {
  /** As the provider writes it in its tokens. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Separated by spaces. */
  readonly scopes: string;
  /** Shown to people. */
  readonly name: string;
  readonly groupsClaim: string;
  /** The claim that says whether the provider has verified the e-mail address. */
  readonly verifiedClaim: string;
  /** Groups of the provider and the system role that each gives. */
  readonly roles: readonly MappedGroup[];
  /** Lower case; people with an address there have no password. */
  readonly domains: readonly string[];
  /** Whether a person without an account gets one. */
  readonly opensAccounts: boolean;
}

export interface MappedGroup {
  readonly group: string;
  readonly role: 'admin' | 'auditor';
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Secrets and codes go to the issuer, so in the clear only to this machine. */
const parseIssuer: Parse<string> = (raw) => {
  const parsed = parseUrl('https:', 'http:')(raw);
  if ('problem' in parsed) return { problem: 'must be a URL that starts with https://' };
  const { protocol, hostname, pathname, search, hash, username } = new URL(raw);
  if (pathname.includes('/.well-known/')) return { problem: 'must be the issuer itself, without /.well-known/...' };
  if (search !== '' || hash !== '' || username !== '') return { problem: 'must not have a query, a fragment or a user' };
  return protocol === 'https:' || LOOPBACK.has(hostname)
    ? parsed
    : { problem: 'must start with https:// (http:// is for this machine alone)' };
};

const parseScopes: Parse<string> = (raw) => {
  const scopes = raw.split(/[\s,]+/).filter((scope) => scope !== '');
  return scopes.includes('openid') ? { value: scopes.join(' ') } : { problem: 'must list scopes, one of them openid' };
};

const parseDomain: Parse<string> = (raw) =>
  /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(raw)
    ? { value: raw.toLowerCase() }
    : { problem: `must list domains such as example.com, found "${raw.slice(0, 60)}"` };

/** The last `=` separates: names of groups may contain others, as those of a directory do. Commas separate pairs. */
const parseMappedGroup: Parse<MappedGroup> = (raw) => {
  const at = raw.lastIndexOf('=');
  const group = raw.slice(0, Math.max(0, at)).trim();
  const role = parseOneOf(['admin', 'auditor'])(raw.slice(at + 1).trim());
  return group === '' || 'problem' in role
    ? { problem: `must list groups with their role, such as ops=admin,audit=auditor, found "${raw.slice(0, 60)}"` }
    : { value: { group, role: role.value } };
};

const PREFIX = 'OIDC_';
const OTHERS = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'PUBLIC_URL'] as const;

/** Undefined when people sign in with passwords alone. */
export function readSignInProvider(read: VariableReader): SignInProviderConfig | undefined {
  const issuer = read.optional('OIDC_ISSUER', parseIssuer);
  const clientId = read.optional('OIDC_CLIENT_ID', parseText);
  const clientSecret = read.optional('OIDC_CLIENT_SECRET', parseText);
  const settings = {
    scopes: read.value('OIDC_SCOPES', parseScopes, 'openid email profile'),
    name: read.value('OIDC_NAME', parseText, issuer === undefined ? '' : new URL(issuer).hostname),
    groupsClaim: read.value('OIDC_GROUPS_CLAIM', parseText, 'groups'),
    verifiedClaim: read.value('OIDC_VERIFIED_CLAIM', parseText, 'email_verified'),
    roles: read.value('OIDC_ROLES', parseListOf(parseMappedGroup), []),
    domains: read.value('OIDC_DOMAINS', parseListOf(parseDomain), []),
    opensAccounts: read.value('OIDC_REGISTRATION', parseOneOf(['open', 'closed']), 'closed') === 'open',
  };
  if (!read.isSet('OIDC_ISSUER')) {
    read.require('OIDC_ISSUER', !read.names(PREFIX).some((name) => name !== 'OIDC_ISSUER'), 'with the other variables OIDC_*');
    return undefined;
  }
  for (const name of OTHERS) read.require(name, read.isSet(name), 'with OIDC_ISSUER');
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return { issuer, clientId, clientSecret, ...settings };
}
