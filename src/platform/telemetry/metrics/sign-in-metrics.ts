import type { Metrics } from './metrics.ts';

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
