const FIRST_MS = 5_000;
const LONGEST_MS = 15 * 60_000;

/** When the next try is: twice as long each time, a quarter more or less so that not all come back together; never sooner than the other side asked for. */
export function nextTry(attempts: number, afterMs: number | null, now: number, random: number): number {
  const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts - 1, 20)) * (0.75 + random / 2);
  return now + Math.max(wait, afterMs ?? 0);
}

/**
 * When a message is given up that is not tried before this instant. Its day has only hours in which it could be tried: none in which the service was off, had
 * trouble of its own, or let another message go first.
 */
export const endOfTries = ({ nextTry: due, giveUpAt }: { readonly nextTry: Date; readonly giveUpAt: Date }, at: number): Date =>
  new Date(giveUpAt.getTime() + Math.max(0, at - due.getTime()));
