import { RevokeServiceToken } from '../../projects/service-accounts/service-account.commands.ts';
import { RevokeToken } from '../tokens/token.commands.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';

/** The command that ends the token of a request, of any kind. */
export function signOutOf({ userId, tokenId, service }: Principal, context: RequestContext): RevokeToken | RevokeServiceToken {
  if (service === undefined) return new RevokeToken(context, { userId, tokenId });
  return new RevokeServiceToken(context, { manager: { owner: service.projectId, by: null }, serviceAccountId: service.id, tokenId });
}
