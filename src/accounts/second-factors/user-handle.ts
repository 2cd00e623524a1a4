import { createHmac } from 'node:crypto';
import type { Secrets } from '../../platform/security/keyring/secrets.ts';

/** WebAuthn's `user.id`: the same for every passkey of an account, and without meaning to anybody else. */
export async function userHandle(secrets: Secrets, userId: number): Promise<Uint8Array<ArrayBuffer>> {
  const secret = await secrets.secret('second-factors');
  return new Uint8Array(
    createHmac('sha256', secret)
      .update(JSON.stringify(['user handle', userId]))
      .digest(),
  );
}
