import type { SealedLimits, TokenLimits } from '../token-scopes.ts';
import type { Keyring } from '../../platform/security/keyring/keyring.ts';

/** The limits of a token in the clear. Fails closed: addresses that cannot be read are none. */
export async function openTokenLimits(keyring: Pick<Keyring, 'open'>, { scopes, projects, addresses }: SealedLimits): Promise<TokenLimits> {
  const opened = addresses === null ? null : await keyring.open(addresses);
  const networks = addresses === null ? null : (JSON.parse(opened ?? '[]') as readonly string[]); // as `IssueToken` sealed them
  return { scopes, projects, addresses: networks };
}
