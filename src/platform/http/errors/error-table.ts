import type { Limit } from '../../../kernel/limits.ts';

/** The answer to a refusal. `bare`: the body carries `message` and nothing else (docs/spec/interface.md#errors). */
export interface ErrorRow {
  readonly status: number;
  readonly bare?: true;
  readonly retryAfter?: number;
  /** The limit that refuses, as the metric names it. */
  readonly limit?: Limit;
  /** Members that the interface adds to this body. */
  readonly extra?: object;
  /** The parameter that is wrong, where the message does not begin with it. */
  readonly param?: string;
  /** Since when what it refuses is retired. */
  readonly retiredAt?: Date;
  /** What it means and what to do, for docs/errors.md. */
  readonly about: string;
}

/** The codes of errors without a class: of the router, the HTTP parser and of defects, by status. */
export const codesByStatus: Readonly<Record<number, string>> = {
  400: 'MALFORMED_REQUEST',
  401: 'NOT_AUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'ROUTE_NOT_FOUND',
  408: 'REQUEST_TIMEOUT',
  413: 'BODY_TOO_LARGE',
  415: 'CONTENT_TYPE_NOT_SUPPORTED',
  429: 'RATE_LIMITED',
  431: 'HEADERS_TOO_LARGE',
  500: 'INTERNAL_ERROR',
  503: 'UNAVAILABLE',
};

/** Retired by the interface (docs/spec/interface.md#versioning), so never accepted here: a day before the first release (docs/spec/decisions.md#A5). */
const retiredAt = new Date('2026-01-01T00:00:00Z');

/** Every stable error code that reaches a client. An unknown one is answered with 500. */
export const errorTable: Readonly<Record<string, ErrorRow>> = {
  MALFORMED_REQUEST: { status: 400, about: 'The request is not valid HTTP.' },
  ROUTE_NOT_FOUND: { status: 404, about: 'The path does not exist, or does not have this method; `Allow` lists those that it has.' },
  REQUEST_TIMEOUT: { status: 408, about: 'The request did not arrive completely in time.' },
  BODY_TOO_LARGE: { status: 413, about: 'The body is larger than 1 MiB, or than 16 KiB where no token is needed.' },
  CONTENT_TYPE_NOT_SUPPORTED: { status: 415, about: 'The content type is not JSON.' },
  HEADERS_TOO_LARGE: { status: 431, about: 'The headers are too long.' },
  INTERNAL_ERROR: { status: 500, about: 'A defect of the service. The `requestId` leads to the cause in its log.' },
  UNAVAILABLE: { status: 503, about: 'The service is not available right now. Retry the same request.' },
  INVALID_INPUT: {
    status: 400,
    about:
      'The request cannot be read, or a field is invalid. `errors` lists each problem with its `param` and, where there is one, the `allowed` list or range.',
  },
  EVENT_TOO_LARGE: { status: 400, about: 'What the request would store is too large. Send less at a time.' },
  PLAN_STALE: { status: 409, about: 'The project has changed since it was planned. Plan again, and look at the new plan.' },
  SITE_AMBIGUOUS: { status: 409, about: 'Several projects have the key or the title of a site file. Give all but one another.' },
  TOO_MANY_DELETIONS: {
    status: 409,
    about:
      'The site files lack more than a fifth of the groups and checks of a project. Look whether a file is missing; `prune: all` deletes them.',
  },
  TOO_MANY_CHECKS: { status: 400, about: 'The project has as many tests or groups as it may have. Delete some first.' },
  NOT_AUTHENTICATED: { status: 401, about: 'The token is missing, malformed, expired or ended. Sign in again.' },
  API_KEY_RETIRED: { status: 401, retiredAt, about: 'The query carries an API key. Send an API token as `Authorization: Bearer` instead.' },
  NO_SIGN_IN_PROVIDER: { status: 404, about: 'The installation has no sign-in provider. Sign in with a password.' },
  SIGN_IN_CODE_INVALID: { status: 403, about: 'The code of a sign-in through a provider is not valid here. Sign in again.' },
  PROVIDER_SIGN_IN_REFUSED: { status: 403, about: 'The sign-in provider refused, or its answer is not valid. Sign in again.' },
  PROVIDER_SIGN_IN_FORCED: { status: 403, about: 'Addresses of this domain sign in through the provider only.' },
  SIGN_IN_PROVIDER_UNAVAILABLE: { status: 503, retryAfter: 5, about: 'The sign-in provider cannot be reached. Retry after `Retry-After`.' },
  IDENTITY_NOT_VERIFIED: { status: 403, about: 'The provider has not verified the e-mail address, so no account can be linked.' },
  IDENTITY_NOT_FOUND: { status: 404, about: 'The account has no such link to a provider.' },
  OTHER_IDENTITY_LINKED: { status: 403, about: 'The account of this address is linked to another identity of the provider.' },
  NO_ACCOUNT_FOR_IDENTITY: { status: 403, about: 'The installation has no account for this identity. Ask to be invited to a project.' },
  RATE_LIMITED: { status: 429, about: 'Too many requests. Retry after `Retry-After` seconds.' },
  BUDGET_SPENT: { status: 429, about: 'A budget of the account is used up; the message names it. Retry after `Retry-After` seconds.' },
  TOO_MANY_JOBS: {
    status: 429,
    retryAfter: 10,
    limit: 'jobs',
    about: 'The owner of the project has as many running jobs as the plan allows. Retry when one has ended.',
  },
  TOO_MANY_UNFINISHED_REQUESTS: {
    status: 429,
    retryAfter: 1,
    about: 'Too many requests of this network are still being sent. Finish them, then retry.',
  },
  ACCOUNT_NOT_FOUND: { status: 404, about: 'The account does not exist, or not any more.' },
  SUBJECT_ERASED: { status: 404, about: 'The account was erased.' },
  TOKEN_NOT_FOUND: { status: 404, about: 'The account has no such token or session.' },
  SUBSCRIPTION_NOT_FOUND: { status: 404, about: 'The account has no such subscription, or the token does not cover it.' },
  TOO_MANY_SUBSCRIPTIONS: {
    status: 409,
    limit: 'subscriptions',
    about: 'The account has as many subscriptions as it may have. Delete one first.',
  },
  TOO_MANY_PARKED_EVENTS: {
    status: 409,
    limit: 'parked_events',
    about: 'The subscription has as many parked events as it may have. Replay or delete some first.',
  },
  SUBSCRIPTION_BEYOND_LOG: {
    status: 409,
    about: 'The subscription is beyond the end of the log, which was restored or is another one. Reset it.',
  },
  SUBSCRIPTION_BUSY: { status: 503, retryAfter: 1, about: 'Too many requests change the subscription at once. Retry after `Retry-After`.' },
  SERVICE_ACCOUNT_NOT_FOUND: { status: 404, about: 'The project, or the installation, has no such service account.' },
  TOO_MANY_SERVICE_ACCOUNTS: {
    status: 409,
    limit: 'tokens',
    about: 'The project, or the installation, has as many service accounts as it may have. Delete one first.',
  },
  TOO_MANY_TOKENS: {
    status: 409,
    limit: 'tokens',
    about: 'The account, or the service account, has as many tokens as it may have. Revoke one first.',
  },
  CHANNEL_NOT_SET_UP: { status: 409, about: 'The channel is not set up. Set it up before it is tested.' },
  DESTINATION_NOT_FOUND: { status: 404, about: 'There is no such destination.' },
  TOO_MANY_DESTINATIONS: { status: 409, about: 'There are as many destinations as there may be. Remove one first.' },
  STATUS_PAGE_NOT_FOUND: { status: 404, about: 'There is no such status page, or the caller may not edit all that it shows.' },
  HOST_TAKEN: { status: 409, about: 'Another status page has this host name. Take it from that page first.' },
  SLUG_TAKEN: { status: 409, about: 'Another status page has this slug. Choose another.' },
  TOO_MANY_STATUS_PAGES: { status: 409, about: 'There are as many status pages as there may be. Delete one first.' },
  INCIDENT_NOT_FOUND: { status: 404, about: 'The status page has no such incident or update, or it was resolved long ago.' },
  INCIDENT_PUBLISHED: { status: 409, about: 'The incident is published: what was said in public stays. Add an update, or edit one.' },
  INCIDENT_NOT_PUBLISHED: { status: 409, about: 'The incident is a draft. Change the draft, or publish it first.' },
  TOO_MANY_INCIDENTS: { status: 409, about: 'There are as many open incidents, updates or edits as there may be.' },
  REGISTRATION_CLOSED: { status: 403, about: 'Accounts are made by invitation only.' },
  LINK_INVALID: { status: 400, about: 'The token of the link is not valid, was used, or has expired. Ask for a new mail.' },
  INVITATION_NOT_FOUND: { status: 404, about: 'The invitation or the offered transfer was answered or withdrawn, or has expired.' },
  TOO_MANY_INVITATIONS: {
    status: 409,
    limit: 'invitations',
    about: 'The project has as many open invitations as it may have. Withdraw one first.',
  },
  ADDRESS_NOT_CONFIRMED: { status: 403, about: 'The e-mail address of the account is not confirmed. Open the link of the mail.' },
  NOTIFICATION_EMAIL_REPLACED: { status: 400, about: 'The link confirms an address that was replaced since.' },
  MEMBERSHIP_REFUSED: { status: 403, about: 'The role, or the removal of the user, is not allowed; the message says why.' },
  MEMBER_NOT_FOUND: { status: 404, about: 'The project has no such user.' },
  NOT_A_MEMBER: { status: 403, about: 'Only users of the project have settings for it.' },
  FORBIDDEN: { status: 403, about: 'The caller lacks the right, or the object does not exist: the two are answered alike.' },
  CROSS_SITE_REQUEST: {
    status: 403,
    about: 'A request with a session cookie, or to open one, does not come from a page of the console. Programs use a token instead.',
  },
  SCOPE_MISSING: { status: 403, about: 'The token is narrowed, and lacks the scope that `scope` names. Make one with it.' },
  TOKEN_ADDRESS_REFUSED: { status: 403, about: 'The token may not be used from the address of the client, which the message names.' },
  TOKEN_TOO_WIDE: { status: 403, about: 'A narrowed token can make no token with more networks, or one that ends later, than itself.' },
  RECENT_SIGN_IN_NEEDED: { status: 403, about: 'The operation needs a recent sign-in, or the password as `password` in the body.' },
  PASSWORD_WRONG: { status: 403, about: 'The password in the body is not that of the account.' },
  SECOND_FACTOR_NEEDED: {
    status: 401,
    about: 'The password is right, and the account has a second factor: send the same request with it.',
  },
  FACTOR_CONFIRMATION_NEEDED: { status: 403, about: 'The account has a second factor: send its `code` beside the password.' },
  SECOND_FACTOR_WRONG: { status: 403, about: 'The second factor is wrong, or was used already.' },
  SECOND_FACTOR_NOT_FOUND: { status: 404, about: 'The account has no such second factor.' },
  TOO_MANY_FACTORS: { status: 409, about: 'The account has as many second factors as it may have. Remove one first.' },
  NO_SECOND_FACTOR: { status: 409, about: 'Recovery codes need a second factor. Add one first.' },
  CODE_NOT_CONFIRMED: { status: 400, about: 'The code is not the current one of the app that is being added.' },
  PASSKEY_REFUSED: { status: 400, about: 'The answer of the passkey is not valid here.' },
  PASSKEYS_UNAVAILABLE: { status: 409, about: 'Passkeys need a `PUBLIC_URL` with a host name.' },
  PASSWORD_TOO_COMMON: { status: 400, about: 'The password is one of the most common ones. Choose another.' },
  PROJECT_NOT_FOUND: { status: 404, about: 'The project does not exist.' },
  LOG_NOT_WITNESSED: { status: 404, about: 'The log is none of those that the installation is a witness of.' },
  CHECKPOINT_NOT_TRUSTED: { status: 403, about: 'The checkpoint has no valid signature of a trusted key of its log.' },
  CHECKPOINT_INCONSISTENT: { status: 422, about: 'The proof does not show that the checkpoint continues the one that was signed last.' },
  EVIDENCE_EXPIRED: {
    status: 410,
    about: 'The evidence behind the event is not kept any more. `known` has the hashes that the event names.',
  },
  NOT_FOUND: { status: 404, about: 'The object does not exist.' },
  AREA_NOT_FOUND: { status: 404, about: 'The group does not exist.' },
  CHECK_NOT_FOUND: { status: 404, about: 'The test does not exist.' },
  CONSUMER_RUNS: {
    status: 409,
    about:
      'The consumer is part of the service, or an instance runs it, or ran it within the last 30 s. Take its package out of `PROJECTIONS` first.',
  },
  PROJECTION_RUNS: {
    status: 409,
    about:
      'The projection is a core view, or an instance runs it, or ran it within the last 30 s. Take its package out of `PROJECTIONS` first.',
  },
  NO_SUCH_CONSUMER: { status: 404, about: 'There is no consumer of this name.' },
  NO_SUCH_PROJECTION: { status: 404, about: 'The projection does not exist.' },
  NOTHING_PARKED: { status: 404, about: 'The projection or consumer has not parked this event.' },
  CORE_CANNOT_PAUSE: { status: 409, about: 'The API answers from this projection, so it cannot be paused.' },
  MAINTENANCE_NOT_FOUND: { status: 404, about: 'The project has no such maintenance window.' },
  START_INVALID: {
    status: 405,
    extra: { success: false },
    param: 'start',
    about: 'The start time is missing, or is no ISO 8601 date-time.',
  },
  IDEMPOTENCY_KEY_REUSED: { status: 409, about: 'The `Idempotency-Key` was already used for a different request. Choose another.' },
  NOT_IN_BATCH: {
    status: 400,
    about: 'The operation cannot stand in a batch, or not in an atomic one. The description of `POST /batch` lists those that can.',
  },
  BATCH_NOT_APPLIED: {
    status: 424,
    about: 'Another operation of the atomic batch was refused, so nothing was carried out. Mend that one and send the batch again.',
  },
  BATCH_INTERRUPTED: {
    status: 503,
    retryAfter: 1,
    about: 'The batch took too long, or the service is shutting down, before the operation began. Send the operation again.',
  },
  PRECONDITION_FAILED: {
    status: 412,
    param: 'If-Match',
    about:
      'The settings are not those whose tag `If-Match` has. `changes` says what was changed since and by whom, `etag` is the tag of the present settings.',
  },
  TEST_URL_INVALID: { status: 400, bare: true, about: 'The URL of the test is missing or invalid.' },
  TRIAL_NOT_POSSIBLE: {
    status: 503,
    retryAfter: 5,
    about: 'The page could not be fetched for a reason on the side of the service. Retry.',
  },
  TOO_MANY_WAIT: {
    status: 503,
    retryAfter: 5,
    about: 'Too many requests are waiting for the same thing. Retry after `Retry-After` seconds.',
  },
  TOO_CONTENDED: {
    status: 503,
    retryAfter: 1,
    about: 'Other writes of the same object came first, several times. Retry the same request.',
  },
  COMMAND_ABANDONED: { status: 503, retryAfter: 1, about: 'The client disconnected before the write began.' },
  STORE_UNAVAILABLE: {
    status: 503,
    retryAfter: 2,
    about: 'The event store does not answer. Retry the same request with its `Idempotency-Key`.',
  },
  NOT_VISIBLE_YET: {
    status: 503,
    retryAfter: 2,
    about: 'The write is stored, and cannot be read yet. Retry it with its `Idempotency-Key`.',
  },
  READS_BEHIND: {
    status: 503,
    retryAfter: 2,
    about: 'The read models are too far behind for further writes. Retry after `Retry-After` seconds.',
  },
  NOT_SEALED_YET: {
    status: 503,
    about:
      'No checkpoint covers the event yet: sealing has stopped, or is behind. Retry after `Retry-After` seconds, which follow from the cause.',
  },
  TEAM_UNAVAILABLE: {
    status: 503,
    retryAfter: 5,
    about: 'The package that answers this route is not running, or did not answer in time. Retry after `Retry-After` seconds.',
  },
  PROJECTION_NOT_SHOWN: { status: 503, retryAfter: 5, about: 'The projection is being filled for the first time.' },
  KEY_PARKED: {
    status: 503,
    retryAfter: 60,
    about: 'The object cannot be read until an operator has retried or skipped one of its events.',
  },
  PROJECT_LIMIT_REACHED: { status: 402, bare: true, about: 'The plan allows no further project.' },
  PROJECT_URL_INVALID: { status: 410, bare: true, about: 'The URL of the new project is invalid.' },
  PROJECT_URL_MISSING: { status: 434, bare: true, about: 'The URL of the new project is missing.' },
  PARAMETER_URLS_DEPRECATED: { status: 432, bare: true, retiredAt, about: 'The parameter `urls` is retired. Use `url`.' },
  PARAMETER_BLANK_DEPRECATED: { status: 433, bare: true, retiredAt, about: 'The parameter `blank` is retired. Use `addPresetChecks`.' },
  PROJECT_CREATION_FAILED: { status: 500, bare: true, about: 'The project could not be created. Retry later.' },
};
