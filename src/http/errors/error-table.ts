/** The answer to a refusal. `bare`: the body carries `message` and nothing else (docs/spec/interface.md#errors). */
export interface ErrorRow {
  readonly status: number;
  readonly bare?: true;
  readonly retryAfter?: number;
  /** The budget that it refuses for, as the metric names it. */
  readonly budget?: string;
  /** Members that the interface adds to this body. */
  readonly extra?: object;
}

/** Every stable error code that reaches a client. An unknown one is answered with 500. */
export const errorTable: Readonly<Record<string, ErrorRow>> = {
  INVALID_INPUT: { status: 400 },
  EVENT_TOO_LARGE: { status: 400 },
  TOO_MANY_CHECKS: { status: 400 },
  NOT_AUTHENTICATED: { status: 401 },
  RATE_LIMITED: { status: 429 },
  BUDGET_SPENT: { status: 429 },
  TOO_MANY_JOBS: { status: 429, retryAfter: 10, budget: 'jobs' },
  TOO_MANY_UNFINISHED_REQUESTS: { status: 429, retryAfter: 1 },
  ACCOUNT_NOT_FOUND: { status: 404 },
  SUBJECT_ERASED: { status: 404 },
  TOKEN_NOT_FOUND: { status: 404 },
  TOO_MANY_TOKENS: { status: 409 },
  CHANNEL_NOT_SET_UP: { status: 409 },
  REGISTRATION_CLOSED: { status: 403 },
  LINK_INVALID: { status: 400 },
  INVITATION_NOT_FOUND: { status: 404 },
  TOO_MANY_INVITATIONS: { status: 409 },
  ADDRESS_NOT_CONFIRMED: { status: 403 },
  NOTIFICATION_EMAIL_REPLACED: { status: 400 },
  MEMBERSHIP_REFUSED: { status: 403 },
  MEMBER_NOT_FOUND: { status: 404 },
  NOT_A_MEMBER: { status: 403 },
  FORBIDDEN: { status: 403 },
  RECENT_SIGN_IN_NEEDED: { status: 403 },
  PASSWORD_WRONG: { status: 403 },
  PASSWORD_TOO_COMMON: { status: 400 },
  PROJECT_NOT_FOUND: { status: 404 },
  NOT_FOUND: { status: 404 },
  AREA_NOT_FOUND: { status: 404 },
  CHECK_NOT_FOUND: { status: 404 },
  NO_SUCH_PROJECTION: { status: 404 },
  NOTHING_PARKED: { status: 404 },
  CORE_CANNOT_PAUSE: { status: 409 },
  MAINTENANCE_NOT_FOUND: { status: 404 },
  START_INVALID: { status: 405, extra: { success: false } },
  IDEMPOTENCY_KEY_REUSED: { status: 409 },
  TEST_URL_INVALID: { status: 400, bare: true },
  TRIAL_NOT_POSSIBLE: { status: 503, retryAfter: 5 },
  TOO_MANY_WAIT: { status: 503, retryAfter: 5 },
  TOO_CONTENDED: { status: 503, retryAfter: 1 },
  COMMAND_ABANDONED: { status: 503, retryAfter: 1 },
  STORE_UNAVAILABLE: { status: 503, retryAfter: 2 },
  NOT_VISIBLE_YET: { status: 503, retryAfter: 2 },
  READS_BEHIND: { status: 503, retryAfter: 2 },
  NOT_SEALED_YET: { status: 503, retryAfter: 1 },
  PROJECTION_NOT_SHOWN: { status: 503, retryAfter: 5 },
  KEY_PARKED: { status: 503, retryAfter: 60 },
  PROJECT_LIMIT_REACHED: { status: 402, bare: true },
  PROJECT_URL_INVALID: { status: 410, bare: true },
  PROJECT_URL_MISSING: { status: 434, bare: true },
  PARAMETER_URLS_DEPRECATED: { status: 432, bare: true },
  PARAMETER_BLANK_DEPRECATED: { status: 433, bare: true },
  PROJECT_CREATION_FAILED: { status: 500, bare: true },
};
