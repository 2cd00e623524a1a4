export const systemRoles = ['admin', 'auditor'] as const;
export type SystemRole = (typeof systemRoles)[number];

export const reportPeriods = ['week', 'false'] as const;
export type ReportPeriod = (typeof reportPeriods)[number];

/** A login token speaks for the person, a personal access token for a program of that person. */
export type TokenKind = 'login' | 'personal';

/** `totp`: one-time codes of an authenticator app (RFC 6238); `passkey`: a WebAuthn credential. */
export const factorKinds = ['totp', 'passkey'] as const;
export type FactorKind = (typeof factorKinds)[number];

/** What a sign-in showed besides a password; `provider`: an identity provider, which asks for its own. */
export type SignInFactor = FactorKind | 'recovery code' | 'provider';

export const RECOVERY_CODES = 10;

/** The message of every refusal to an account that may do nothing yet (docs/spec/decisions.md#A14). */
export const NOT_CONFIRMED =
  'The e-mail address of your account is not confirmed. Open the link that was mailed to it, or ask the operator of this installation for one.';

/** The message of every refusal to an account that must have a second factor and has none (docs/spec/decisions.md#A17). */
export const FACTOR_REQUIRED =
  'Your account must have a second factor and has none. Add an authenticator app (POST /account/second-factors/totp) or a passkey (POST /account/second-factors/passkeys) first.';
