import type { SignInProviderConfig } from '../../platform/config/sign-in-provider.ts';

/** What a provider says of the person who signed in. */
export interface ProvidedIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Null without a usable address. */
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly name: string;
  readonly role: 'admin' | 'auditor' | null;
  /** When the person last proved who they are to the provider; null when it does not say. */
  readonly authenticatedAt: Date | null;
}

type Claims = Readonly<Record<string, unknown>>;

const MAX_NAME = 100;
const MAX_EMAIL = 254;
/** ASCII alone: folding the case of other letters makes one address of two, such as k of the Kelvin sign. */
const EMAIL = /^[!-;=?A-~]+@[A-Za-z0-9.-]+$/;

/** `idToken` is signed; `userInfo` holds what the provider leaves out of it. */
export function readIdentity(
  { verifiedClaim, groupsClaim, roles }: Pick<SignInProviderConfig, 'verifiedClaim' | 'groupsClaim' | 'roles'>,
  idToken: Claims,
  userInfo: Claims,
): ProvidedIdentity {
  const sources = [idToken, userInfo];
  const isVerified = (claims: Claims): boolean => [true, 'true', 1, '1'].some((yes) => claims[verifiedClaim] === yes);
  // Address and verification are taken from one source, so that the one does not vouch for the address of the other.
  const withEmail = sources.filter((claims) => emailOf(claims) !== null);
  const best = withEmail.find(isVerified) ?? withEmail[0];
  const email = best === undefined ? null : emailOf(best);
  const groups = groupsIn(sources.find((claims) => claims[groupsClaim] !== undefined)?.[groupsClaim]);
  const { iss, sub, auth_time: authTime } = idToken;
  return {
    issuer: String(iss),
    subject: String(sub),
    email,
    isEmailVerified: best !== undefined && isVerified(best),
    name: nameOf(idToken) ?? nameOf(userInfo) ?? email?.split('@')[0] ?? 'New user',
    role: roles.find(({ group }) => groups.has(group))?.role ?? null,
    authenticatedAt: typeof authTime === 'number' ? new Date(authTime * 1000) : null,
  };
}

/** Whether the signed token says everything that is read. */
export const isComplete = ({ verifiedClaim, groupsClaim, roles }: SignInProviderConfig, idToken: Claims): boolean =>
  ['email', verifiedClaim, ...(roles.length > 0 ? [groupsClaim] : [])].every((claim) => idToken[claim] !== undefined);

function emailOf({ email }: Claims): string | null {
  return typeof email === 'string' && email.length <= MAX_EMAIL && EMAIL.test(email) ? email : null;
}

function nameOf({ name }: Claims): string | null {
  if (typeof name !== 'string') return null;
  const plain = name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim();
  return plain === '' ? null : Array.from(plain).slice(0, MAX_NAME).join('');
}

/** A list, or one group as text. */
const groupsIn = (claim: unknown): ReadonlySet<unknown> => new Set(Array.isArray(claim) ? claim : [claim]);
