import { isIP } from 'node:net';
import { createHmac } from 'node:crypto';
import type { Config } from '../../platform/config/config.ts';
import { ownOrigin } from '../../platform/config/own-origin.ts';
import type { RelyingParty } from '../second-factors/passkeys.ts';
import { PasskeysUnavailable } from '../../platform/http/errors/refusals.ts';
import type { Secrets } from '../../platform/security/keyring/secrets.ts';

/** The site for which passkeys are made: `PUBLIC_URL`, whose host must be a name. Browsers make none for a bare address. */
export function relyingPartyOf({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): RelyingParty | null {
  const { origin, hostname } = new URL(ownOrigin({ publicUrl, host, port }));
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { id: hostname, origin } : null;
}

export function requireRelyingParty(config: Pick<Config, 'publicUrl' | 'host' | 'port'>): RelyingParty {
  const party = relyingPartyOf(config);
  if (party === null) throw new PasskeysUnavailable();
  return party;
}

/** WebAuthn's `user.id`: the same for every passkey of an account, and without meaning to anybody else. */
export async function userHandle(secrets: Secrets, userId: number): Promise<Uint8Array<ArrayBuffer>> {
  const secret = await secrets.secret('second-factors');
  return new Uint8Array(
    createHmac('sha256', secret)
      .update(JSON.stringify(['user handle', userId]))
      .digest(),
  );
}
