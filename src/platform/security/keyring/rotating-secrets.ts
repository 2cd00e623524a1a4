import type { RotatingSecret } from './rotating-secret.ts';

/** The secrets that rotate with two keys at a time. */
export interface RotatingSecrets {
  /** Signs login and personal tokens. */
  readonly jwt: RotatingSecret;
  /** Signs the requests to push services. */
  readonly vapid: RotatingSecret;
}

/** Injection token. */
export const ROTATING_SECRETS = Symbol('RotatingSecrets');
