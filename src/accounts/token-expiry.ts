import { InvalidInput } from '../kernel/errors.ts';
import { readExpiry } from './sign-in/expiry.ts';
import type { TokenClaims } from './sign-in/token-signer.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { TokenTooWide } from '../platform/http/errors/refusals.ts';
import { inUtc } from '../platform/http/presentation/answers.ts';

const DEFAULT_EXPIRY = '+1 year';

/** By default a token that a narrowed one makes ends with it. */
export function expiryOfToken({ exp }: { readonly exp?: string | null }, { limits }: Principal, claims: TokenClaims, now: number): Date {
  const end = limits === null ? null : claims.exp * 1_000;
  if (end !== null && (exp ?? null) === null) return new Date(end);
  const expiry = readExpiry(exp ?? DEFAULT_EXPIRY, now);
  if ('problem' in expiry) throw new InvalidInput(`exp: ${expiry.problem}`);
  if (end !== null && expiry.at > end) throw new TokenTooWide(`exp: must not be later than the end of this token, ${inUtc(end)}`);
  return new Date(expiry.at);
}
