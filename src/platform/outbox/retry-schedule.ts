import { backOffOf, jittered } from '../../kernel/back-off.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/time.ts';

/** How long a message is attempted before it is a dead letter. */
export const GIVE_UP_MS = 24 * HOUR_MS;

const BOUNDS = { firstMs: 5_000, mostMs: 15 * MINUTE_MS };

/** Exponential back-off with 25 % jitter, and never before the `Retry-After` of the receiver. */
export function nextAttemptAt(attempts: number, retryAfterMs: number | null, now: number, random: number): number {
  return now + Math.max(jittered(backOffOf(attempts, BOUNDS), random), retryAfterMs ?? 0);
}

/**
 * The deadline of a message that is not attempted before `at`. Only time in which it could be attempted counts: the deadline moves by as long
 * as the message was overdue, because the service was off, failed itself, or sent another message first.
 */
export const extendedDeadline = ({ nextTry: due, giveUpAt }: { readonly nextTry: Date; readonly giveUpAt: Date }, at: number): Date =>
  new Date(giveUpAt.getTime() + Math.max(0, at - due.getTime()));
