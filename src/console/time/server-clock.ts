import { signal } from '@preact/signals';

/** Shorter differences come from the way of an answer, and from seconds that the header leaves out. */
const NOTICED_MS = 5_000;

/** How far the clock of the service is ahead of the browser's, in milliseconds. */
export const clockSkew = signal(0);

/** Now, by the clock of the service: what it recorded and what it is asked for is in its time. */
export const serverNow = (): number => Date.now() + clockSkew.value;

/** `date`: of an answer, as its header has it; `sentAt` and `receivedAt`: by the browser's clock. */
export function skewOf(date: string | null, sentAt: number, receivedAt: number): number | null {
  const at = date === null ? NaN : Date.parse(date);
  if (Number.isNaN(at)) return null;
  // The header is cut to whole seconds.
  const skew = at + 500 - (sentAt + receivedAt) / 2;
  return Math.abs(skew) < NOTICED_MS + (receivedAt - sentAt) / 2 ? 0 : Math.round(skew);
}

export function noteServerTime(date: string | null, sentAt: number, receivedAt: number): void {
  const skew = skewOf(date, sentAt, receivedAt);
  // A difference that stays the same must not move every page with each answer.
  if (skew !== null && Math.abs(skew - clockSkew.value) > NOTICED_MS) clockSkew.value = skew;
}
