const FIRST_MS = 5_000;
const LONGEST_MS = 15 * 60_000;

/** Exponential back-off with 25 % jitter, and never before the `Retry-After` of the receiver. */
export function nextAttemptAt(attempts: number, retryAfterMs: number | null, now: number, random: number): number {
  const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 20)) * (0.75 + random / 2);
  return now + Math.max(wait, retryAfterMs ?? 0);
}

/**
 * The deadline of a message that is not attempted before `at`. Only time in which it could be attempted counts: the deadline moves by as long
 * as the message was overdue, because the service was off, failed itself, or sent another message first.
 */
export const extendedDeadline = ({ nextTry: due, giveUpAt }: { readonly nextTry: Date; readonly giveUpAt: Date }, at: number): Date =>
  new Date(giveUpAt.getTime() + Math.max(0, at - due.getTime()));
