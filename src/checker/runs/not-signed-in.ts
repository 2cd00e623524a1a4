import type { Failing } from '../../domain/verdict/verdict.events.ts';
import { type FailedFetch, NO_PHASES, type TimedOut } from '../probe/outcome.ts';
import type { SignInTrouble } from './signing-in.ts';

/** How verdicts call it: it shows in the result of the group. */
const NAME = 'sign-in form';

type HeldAgainst = SignInTrouble & { readonly kind: 'failed' | 'timedOut' };

export const isHeldAgainst = (trouble: SignInTrouble): trouble is HeldAgainst => trouble.kind !== 'inconclusive';

/** What stands for the fetch that a failed sign-in prevented. */
export function notSignedIn(url: string, { kind, reason }: HeldAgainst): FailedFetch | TimedOut {
  const journey = { reason, url, hops: [], phases: NO_PHASES, certificate: null, address: null } as const;
  return kind === 'timedOut' ? { kind, during: 'wait', ...journey } : { kind, code: 'signIn', during: 'request', ...journey };
}

/** A sign-in page that takes too long is a timeout as every fetch is (docs/spec/decisions.md#T13), and fails the checks of the group (T12). */
export const failingOf = ({ kind, reason }: HeldAgainst): Failing => ({
  status: kind === 'timedOut' ? 'timeout' : 'error',
  rules: [NAME],
  failures: [reason],
});
