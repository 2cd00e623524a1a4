import { isIP } from 'node:net';
import type { Config } from '../../platform/config/config.ts';
import { ownOrigin } from '../../platform/config/own-origin.ts';
import type { RelyingParty } from '../second-factors/passkeys.ts';
import { PasskeysUnavailable } from '../../platform/http/errors/refusals.ts';

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
