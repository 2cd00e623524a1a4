import { DomainError } from '../../../kernel/errors.ts';
import { SignInProviderUnavailable } from '../../identities/sign-in-provider.ts';
import type { Metrics } from '../../../platform/telemetry/metrics/metrics.ts';

const KINDS = ['password', 'passkey', 'provider'];
const RESULTS = ['ok', 'refused', 'unavailable', 'failed'];

/** Sign-ins, by how and with which result. */
export class SignInMetrics {
  private readonly signIns;

  constructor(metrics: Metrics) {
    this.signIns = metrics.counter(
      'watchledger_sign_ins_total',
      'Sign-ins by kind and result; unavailable: the sign-in provider could not be reached',
      ['kind', 'result'],
    );
    for (const kind of KINDS) for (const result of RESULTS) this.signIns.inc({ kind, result }, 0);
  }

  signIn(kind: string, result: string): void {
    this.signIns.inc({ kind, result });
  }
}

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
