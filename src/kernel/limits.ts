/** Limits whose refusals are counted; the labels of `watchledger_refusals_total` (docs/operations.md, Refusals). */
export const LIMITS = [
  'requests',
  'token_requests',
  'address',
  'streams',
  'jobs',
  'events',
  'tokens',
  'subscriptions',
  'parked_events',
  'sign_ins',
  'guesses',
  'second_factors',
  'codes',
  'registrations',
  'channel_tests',
  'mails',
  'invitations',
  'sessions',
  'targets',
  'hooks',
  'kept_pages',
] as const;

export type Limit = (typeof LIMITS)[number];

/** Port: counts what limits refuse or end, for the operator. */
export abstract class LimitMeter {
  abstract refused(limit: Limit, times?: number): void;
}
