import { DomainError } from '../../../kernel/errors.ts';
import { SignInProviderUnavailable } from '../../identities/sign-in-provider.ts';

export type SignInKind = 'password' | 'passkey' | 'provider' | 'link';

/** Port: counts sign-ins for the operator. */
export abstract class SignInMeter {
  abstract signIn(kind: SignInKind, result: 'ok' | 'refused' | 'unavailable' | 'failed'): void;
}

/** Counts a sign-in that does not succeed; one of several steps may be counted in the last of them alone. */
export async function metered<T>(meter: SignInMeter, kind: SignInKind, isLast: boolean, step: () => Promise<T>): Promise<T> {
  try {
    const result = await step();
    if (isLast) meter.signIn(kind, 'ok');
    return result;
  } catch (error) {
    const refusal = error instanceof DomainError ? 'refused' : 'failed';
    meter.signIn(kind, error instanceof SignInProviderUnavailable ? 'unavailable' : refusal);
    throw error;
  }
}
