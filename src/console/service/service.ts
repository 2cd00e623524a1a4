import { signal } from '@preact/signals';
import { ApiError, WatchledgerClient } from '../../client.ts';
import { shownInstant } from '../frame/address.ts';
import { noteServerTime } from '../time/server-clock.ts';

/** Whether the service answers; the bar under the header shows it. */
export const isConnected = signal(true);

/** Raised when the session has ended: the sign-in opens in place, and what was typed stays. */
export const isSignedOut = signal(false);

/** Our own page says so in a header, which no form and no other site can send. */
const fetchAsConsole: typeof fetch = async (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('watchledger-console', '1');
  const sentAt = Date.now();
  try {
    const answer = await fetch(input, { ...init, headers, credentials: 'same-origin' });
    noteServerTime(answer.headers.get('date'), sentAt, Date.now());
    isConnected.value = answer.status !== 502 && answer.status !== 503 && answer.status !== 504;
    if (answer.status === 401 && !answer.url.includes('/api/session')) isSignedOut.value = true;
    return answer;
  } catch (error) {
    // A request that the page itself gave up says nothing about the service.
    if (!(error instanceof DOMException && error.name === 'AbortError')) isConnected.value = false;
    throw error;
  }
};

export const service = new WatchledgerClient({ fetch: fetchAsConsole });

/** For streams: what is refused or lost is known at once. */
export const streaming = new WatchledgerClient({ fetch: fetchAsConsole, beforeRepeat: () => false });

/** The query of a read that follows the time bar. */
export const asOfShown = (): { readonly asOf?: string } =>
  shownInstant.value === null ? {} : { asOf: new Date(shownInstant.value).toISOString() };

/** What was asked for does not exist, or the role does not show it: the service says no more. */
export const isNotShown = (error: unknown): boolean => error instanceof ApiError && (error.status === 403 || error.status === 404);

/** Refusals whose words are for programs: they name routes and members of requests, where a person has a field. */
const REFUSALS: Readonly<Record<string, string>> = {
  RECENT_SIGN_IN_NEEDED: 'Your last sign-in is too long ago for this. Type your password to confirm it.',
};

/** An error as a person reads it. */
export function errorSentence(error: unknown): string {
  if (error instanceof ApiError) return REFUSALS[error.errorCode] ?? error.message;
  return 'The service does not answer. The page tries again by itself.';
}
