import { Injectable } from '@nestjs/common';
import { projectIdOf, projectStream } from '../../kernel/stream-names.ts';
import { SubscriptionNotFound } from './refusals.ts';
import type { SubscriptionFilter, SubscriptionKey } from './subscription.ts';
import type { StoredSubscription } from './subscription-store.ts';
import { Subscriptions } from './subscriptions.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { Forbidden } from '../../platform/http/errors/refusals.ts';
import { FeedScopes } from '../../history/feed/feed-scopes.ts';
import { coversProject, hasScope } from '../../accounts/rights/scopes.ts';

/**
 * What a caller may read of a subscription of its account, at each read anew. Projects that the account may not read any more are left out; a token that
 * is narrower than the filter is refused, because what it left out would count as read.
 */
@Injectable()
export class SubscriptionRights {
  constructor(
    private readonly feed: FeedScopes,
    private readonly subscriptions: Subscriptions,
  ) {}

  /** The filter of a new subscription, which must be readable as a whole. */
  async filterOf(principal: Principal, types: readonly string[], scopes: readonly string[] | null): Promise<SubscriptionFilter> {
    const reach = principal.systemRole !== null && hasScope(principal, 'systemRead') ? 'log' : 'projects';
    const filter: SubscriptionFilter = { types: [...new Set(types)], scopes: scopes === null ? null : [...new Set(scopes)], reach };
    const readable = await this.scopesOf(principal, filter);
    if (filter.scopes !== null && readable?.length !== filter.scopes.length) throw new Forbidden();
    return filter;
  }

  /** Null for the whole log. */
  async scopesOf(principal: Principal, { scopes, reach }: SubscriptionFilter): Promise<readonly string[] | null> {
    if (!covers(principal, { scopes, reach })) throw new Forbidden(NARROWER);
    if (scopes === null && reach === 'log') {
      if (principal.systemRole === null) throw new Forbidden();
      return null;
    }
    if (scopes === null) return this.feed.ofProjects(principal);
    const readable = await this.feed.readableOf(principal, scopes);
    if (readable.length === 0) throw new Forbidden();
    return readable;
  }

  /** The subscription of this name. A narrowed token has those that it covers, and no other. */
  async keyOf(principal: Principal, name: string): Promise<SubscriptionKey> {
    const key = { userId: principal.userId, name };
    if (principal.limits !== null && !covers(principal, (await this.subscriptions.get(key)).settings.filter))
      throw new SubscriptionNotFound(name);
    return key;
  }

  /** The same of a name that may be new. */
  async newKeyOf(principal: Principal, name: string): Promise<SubscriptionKey> {
    const key = { userId: principal.userId, name };
    const known = principal.limits === null ? null : await this.subscriptions.find(key);
    if (known !== null && !covers(principal, known.settings.filter)) throw new Forbidden(NARROWER);
    return key;
  }

  async list(principal: Principal): Promise<readonly StoredSubscription[]> {
    return (await this.subscriptions.list(principal.userId)).filter(({ settings }) => covers(principal, settings.filter));
  }

  /** The caller as of now, while its request waits. */
  async current(asking: Principal): Promise<Principal> {
    const principal = await this.feed.current(asking);
    if (principal === null) throw new Forbidden();
    return principal;
  }
}

const NARROWER = 'This token is limited to less than the subscription.';

/** Whether the limits of the token leave all of the filter. */
function covers(principal: Principal, { scopes, reach }: Pick<SubscriptionFilter, 'scopes' | 'reach'>): boolean {
  if (principal.limits === null) return true;
  const isOfProjects = scopes === null ? reach === 'projects' : scopes.every(isProjectStream);
  if (!isOfProjects) return hasScope(principal, 'systemRead');
  return scopes === null ? principal.limits.projects === null : scopes.every((scope) => coversProject(principal, projectIdOf(scope)));
}

const isProjectStream = (scope: string): boolean => scope === projectStream(projectIdOf(scope));
