import { projectScopes, type TokenScope, tokenScopes } from './token-scopes.ts';
import type { PersonalToken } from './account.view.ts';
import { SCOPE_USE_DAYS, type ScopeUse } from './tokens/token-uses.ts';
import { inUtc } from '../platform/http/presentation/answers.ts';
import type { TokenUsageAnswer } from './token.api.ts';
import { DAY_MS } from '../kernel/time.ts';

/** What a token needed in the last 90 days, the narrowest one that would have done, and what that one refuses. */
export function presentTokenUsage(
  token: Pick<PersonalToken, 'tokenId' | 'createdAt' | 'scopes' | 'projects'>,
  uses: readonly ScopeUse[],
  now: number,
): TokenUsageAnswer {
  const { tokenId, createdAt, scopes, projects } = token;
  const byScope = new Map(uses.map((use) => [use.scope, use]));
  const used = tokenScopes.flatMap((scope) => {
    const use = byScope.get(scope);
    return use === undefined ? [] : [{ ...use, scope }];
  });
  const held: readonly TokenScope[] = scopes ?? (projects === null ? tokenScopes : projectScopes);
  return {
    tid: tokenId,
    since: inUtc(Math.max(Date.parse(createdAt), now - SCOPE_USE_DAYS * DAY_MS)),
    used,
    smallest: used.map(({ scope }) => scope),
    wouldRefuse: tokenScopes.filter((scope) => held.includes(scope) && !byScope.has(scope)),
  };
}
