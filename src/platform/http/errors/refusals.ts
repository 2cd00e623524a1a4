import { DomainError } from '../../../kernel/errors.ts';
import type { Limit } from '../../../kernel/limits.ts';

/** Refusals of the HTTP layer itself. */
export class NotAuthenticated extends DomainError {
  readonly code = 'NOT_AUTHENTICATED';

  constructor(message = 'Access denied. Please log in to access the resource.') {
    super(message);
  }
}

/** The query carries an API key (docs/spec/decisions.md#A5). */
export class ApiKeyRetired extends DomainError {
  readonly code = 'API_KEY_RETIRED';

  constructor() {
    super('API key authentication is deprecated. Use an API token instead.');
  }
}

/** The same message for an object of others and for one that does not exist, so that a caller cannot tell them apart (docs/spec/decisions.md#G6). */
export class Forbidden extends DomainError {
  readonly code = 'FORBIDDEN';

  constructor(message = 'You do not have permission to access this resource.') {
    super(message);
  }
}

/** The token of the request is narrowed, and not to this scope (docs/spec/beyond.md#B23). */
export class ScopeMissing extends DomainError {
  readonly code = 'SCOPE_MISSING';

  constructor(readonly scope: string) {
    super(`This token lacks the scope \`${scope}\`.`);
  }
}

/** The token of the request may be used from certain networks, and not from this address. */
export class TokenAddressRefused extends DomainError {
  readonly code = 'TOKEN_ADDRESS_REFUSED';

  constructor(address: string) {
    super(`This token may not be used from the address ${address}.`);
  }
}

/** A narrowed token would make one that it could not be itself. */
export class TokenTooWide extends DomainError {
  readonly code = 'TOKEN_TOO_WIDE';
}

/** Re-authentication: the operation needs a proof of who the caller is that is younger than the token. */
export class RecentSignInNeeded extends DomainError {
  readonly code = 'RECENT_SIGN_IN_NEEDED';

  constructor(minutes: number, provider?: string) {
    const through = provider === undefined ? '' : `, confirm it through ${provider} (GET /authenticate/provider?confirm=true)`;
    const fresh = `Sign in again (POST /authenticate) and use that token within ${String(minutes)} minutes${through}, or send`;
    super(`This needs a confirmation of who you are. ${minutes === 0 ? 'Send' : fresh} your password as \`password\` in the body.`);
  }
}

/** The second factors with which an account can be confirmed; `passkey`: the options for `navigator.credentials.get`, null without a passkey. */
export interface FactorChoice {
  readonly kinds: readonly ('totp' | 'passkey' | 'recovery code')[];
  readonly passkey: object | null;
}

/** The password was right, and the account has a second factor. */
export class SecondFactorNeeded extends DomainError {
  readonly code = 'SECOND_FACTOR_NEEDED';

  constructor(readonly secondFactor: FactorChoice) {
    super('This account has a second factor. Send the same request with its `code`, or with the answer of a `passkey`.');
  }
}

/** The same for a caller who is signed in. */
export class FactorConfirmationNeeded extends DomainError {
  readonly code = 'FACTOR_CONFIRMATION_NEEDED';

  constructor() {
    super(
      'This account has a second factor: send its `code` beside the password, or confirm who you are with POST /authenticate/confirm first.',
    );
  }
}

export class SecondFactorWrong extends DomainError {
  readonly code = 'SECOND_FACTOR_WRONG';

  constructor() {
    super('The second factor is wrong, or was used already.');
  }
}

export class PasskeysUnavailable extends DomainError {
  readonly code = 'PASSKEYS_UNAVAILABLE';

  constructor() {
    super('Passkeys need PUBLIC_URL with a host name: browsers make none for an address of numbers.');
  }
}

export class PasswordWrong extends DomainError {
  readonly code = 'PASSWORD_WRONG';

  constructor(field: string) {
    super(`${field}: is not the current password.`);
  }
}

export class NotFound extends DomainError {
  readonly code = 'NOT_FOUND';

  constructor(message = 'The object was not found.') {
    super(message);
  }
}

/** What remains known of evidence that is no longer kept: the hashes that the event seals. */
export class EvidenceExpired extends DomainError {
  readonly code = 'EVIDENCE_EXPIRED';

  constructor(
    what: 'The exchange' | 'The page',
    readonly known: { readonly exchange: string | null; readonly page: string | null },
  ) {
    super(`${what} behind this event is not kept any more; \`known\` has its hashes.`);
  }
}

export class IdempotencyKeyReused extends DomainError {
  readonly code = 'IDEMPOTENCY_KEY_REUSED';

  constructor() {
    super('This Idempotency-Key was already used for a different request.');
  }
}

/** The network of one client has begun too many requests that were not sent to the end. */
export class TooManyUnfinishedRequests extends DomainError {
  readonly code = 'TOO_MANY_UNFINISHED_REQUESTS';

  constructor() {
    super('Too many requests from your network are still being sent. Finish them first, then retry.');
  }
}

/** A budget of an account is used up. */
export class BudgetSpent extends DomainError {
  readonly code = 'BUDGET_SPENT';

  constructor(
    /** The label of the metric that counts it. */
    readonly limit: Limit,
    message: string,
    override readonly retryAfter: number,
  ) {
    super(message);
  }
}

/** Rate limit. `limit`: the label of the metric that counts it; undefined when it was counted where it was found. */
export class RateLimited extends DomainError {
  readonly code = 'RATE_LIMITED';

  constructor(
    override readonly retryAfter: number,
    readonly limit?: Limit,
  ) {
    super(`Too many requests. Please try again in ${String(retryAfter)} seconds.`);
  }
}
