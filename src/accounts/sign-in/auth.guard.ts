import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { isTransientDatabaseError } from '../../platform/postgres/transient-database-error.ts';
import { networkOf } from '../../platform/security/networks.ts';
import { TokenUses } from '../tokens/token-uses.ts';
import { recordedAsSlot, recordedKind } from '../accesses/records-access.ts';
import { operationOf, type OperationOfBatch } from './operation-of-batch.ts';
import { currentRecomputation } from '../../platform/http/context/recomputation.ts';
import { type Principal, subjectOf } from '../../platform/http/context/principal.ts';
import { mayWrite } from '../../platform/http/context/request-context.ts';
import { ApiKeyRetired, NotAuthenticated, TokenAddressRefused } from '../../platform/http/errors/refusals.ts';
import { statedRight } from '../rights/needs.ts';
import { applyRateLimit, stateWhatIsLeft, RateLimiter } from '../budgets/rate-limit.ts';
import { RequestBudget } from '../budgets/request-budget.ts';
import { bearerOf } from './jwt.strategy.ts';
import { Principals } from './principals.ts';
import { type BrowserSession, claimsOfSession, ConsoleSessions, requireOwnPage } from './session/console-sessions.ts';
import type { TokenClaims } from './token-signer.ts';
import { VerifiedTokens } from './verified-tokens.ts';
import { claimsSlot, countedSlot, sessionSlot } from './request-caller.ts';
import { rightSlot } from '../rights/request-right.ts';
import { hidesProjectsSlot, jointSlot, principalSlot, unchangedSlot } from '../../platform/http/context/request-state.ts';

/** Whether the raw query names the retired API key, in any case; a parser that keeps one of two equal names could miss it (docs/spec/decisions.md#A5). */
export const carriesApiKey = (url: string): boolean => {
  const query = url.indexOf('?');
  if (query < 0) return false;
  return url
    .slice(query + 1)
    .split('&')
    .some((pair) => nameOf(pair) === 'apikey');
};

function nameOf(pair: string): string {
  const raw = pair.split('=', 1)[0] ?? '';
  try {
    return decodeURIComponent(raw.replaceAll('+', ' ')).trim().toLowerCase().replace(/\[.*$/, '');
  } catch {
    return '';
  }
}

interface Caller {
  /** Null: by a token. */
  readonly session: BrowserSession | null;
  readonly claims: TokenClaims;
  readonly principal: Principal;
}

/** Authenticates a request and counts it for the rate limit: by account, else by network (docs/spec/decisions.md#G12). */
@Injectable()
export class TokenGuard extends AuthGuard('jwt') {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly budget: RequestBudget,
    @Inject(TokenUses) private readonly uses: Pick<TokenUses, 'record'>,
    private readonly verified: VerifiedTokens,
    private readonly principals: Principals,
    private readonly sessions: ConsoleSessions,
    @Inject(CONFIG) private readonly config: Pick<Config, 'publicUrl'>,
  ) {
    super({ session: false });
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const [request, reply] = [context.switchToHttp().getRequest<FastifyRequest>(), context.switchToHttp().getResponse<FastifyReply>()];
    const [handler, controller] = [context.getHandler(), context.getClass()];
    const right = statedRight(handler, controller);
    const kind = recordedKind(handler, controller);
    if (right !== undefined) rightSlot.set(request, right);
    if (kind !== undefined) recordedAsSlot.set(request, kind);
    if (right?.kind === 'project') hidesProjectsSlot.set(request, right.unknown === 403);
    const again = currentRecomputation();
    if (again !== undefined) {
      principalSlot.set(request, again.principal);
      return true;
    }
    const operation = operationOf(request);
    if (operation !== undefined) {
      const { claims, session } = operation;
      principalSlot.set(request, await this.principalOf(operation));
      claimsSlot.set(request, claims);
      if (session !== undefined) sessionSlot.set(request, session);
      jointSlot.set(request, operation);
      return true;
    }
    if (right?.kind === 'public' && !carriesApiKey(request.url)) {
      this.countNetwork(request, reply);
      return true;
    }
    const { session, claims, principal } = await this.callerOf(request, reply);
    const countAsUnchanged = (): void => {
      stateWhatIsLeft(reply, this.budget.countAsUnchanged(principal));
    };
    this.uses.record({ subject: subjectOf(principal), tokenId: principal.tokenId }, request.ip);
    principalSlot.set(request, principal);
    claimsSlot.set(request, claims);
    unchangedSlot.set(request, countAsUnchanged);
    if (session !== null) {
      sessionSlot.set(request, session);
      // A page of another origin, to which the browser sends the cookie along, must not load the answer as a script or a picture.
      void reply.header('cross-origin-resource-policy', 'same-origin');
      await this.sessions.renew(request, reply, session, principal.systemRole);
    }
    return true;
  }

  /** Called before a large body is read: refuses what is beyond a limit, or has no token that is valid now. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (currentRecomputation() === undefined && operationOf(request) === undefined) await this.callerOf(request, reply);
  }

  /** Authenticates the caller; counts a request once, however often it is called for it. */
  private async callerOf(request: FastifyRequest, reply: FastifyReply): Promise<Caller> {
    if (carriesApiKey(request.url)) {
      this.countNetwork(request, reply);
      throw new ApiKeyRetired();
    }
    // A bearer token wins: with one the cookie is ignored.
    const session = bearerOf(request) === null ? await this.sessionOf(request, reply) : null;
    const claims = session === null ? await this.claimsOf(request, reply) : claimsOfSession(session);
    // The token is read by its id, too, because a signature stays valid after a revocation.
    const principal = claims === null ? null : await this.principals.load(claims.tid, Number(claims.sub));
    if (claims === null || principal?.userId !== Number(claims.sub)) {
      this.countNetwork(request, reply);
      throw new NotAuthenticated();
    }
    // Counted for the client, not for the account: a stolen token must not use up the requests of its owner.
    if (principal.limits?.addresses?.include(request.ip) === false) {
      this.countNetwork(request, reply);
      throw new TokenAddressRefused(request.ip);
    }
    if (countedSlot.get(request) !== true) applyRateLimit(reply, this.budget.count(principal));
    countedSlot.set(request, true);
    return { session, claims, principal };
  }

  /** Reads the principal again for each operation of a batch, because its token may end meanwhile; the request of the batch was counted. */
  private async principalOf({ claims: { tid, sub } }: OperationOfBatch): Promise<Principal> {
    const principal = await this.principals.load(tid, Number(sub));
    if (principal?.userId !== Number(sub)) throw new NotAuthenticated();
    return principal;
  }

  /** The session that the cookie of the console names. */
  private async sessionOf(request: FastifyRequest, reply: FastifyReply): Promise<BrowserSession | null> {
    const value = this.sessions.valueIn(request);
    if (value === null) return null;
    try {
      if (mayWrite(request.method, request.routeOptions.url)) requireOwnPage(request, this.config);
    } catch (error) {
      this.countNetwork(request, reply);
      throw error;
    }
    return this.sessions.find(value);
  }

  /** Answers null without a token of this service that is valid now. */
  private async claimsOf(request: FastifyRequest & { user?: TokenClaims | null }, reply: FastifyReply): Promise<TokenClaims | null> {
    const token = bearerOf(request);
    if (token === null) return null;
    const known = await this.verified.claimsOf(token);
    if (known !== undefined) return known;
    await super.canActivate(new ExecutionContextHost([request, reply]));
    return request.user ?? null;
  }

  /** Called by Passport with the result of the strategy; `claims` is false for an invalid token, `info` is the reason. */
  override handleRequest<Claims>(error: unknown, claims: Claims, info: unknown): Claims {
    if (error) throw error instanceof Error ? error : new NotAuthenticated();
    // The keys could not be read: Passport takes that for an invalid token, for which a client would drop it.
    if (info instanceof Error && isTransientDatabaseError(info)) throw info;
    // Cast: what Nest leaves as the user of the request.
    return (claims || null) as Claims;
  }

  private countNetwork({ ip }: FastifyRequest, reply: FastifyReply): void {
    const state = this.limiter.count(networkOf(ip));
    applyRateLimit(reply, state === null ? [] : [state]);
  }
}
