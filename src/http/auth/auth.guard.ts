import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../../security/networks.ts';
import { TokenUses } from '../../security/tokens/token-uses.ts';
import { isTransientDatabaseError } from '../../persistence/transient-database-error.ts';
import { currentRecomputation } from '../context/recomputation.ts';
import { subjectOf } from '../context/principal.ts';
import { stateOf } from '../context/request-state.ts';
import { ApiKeyRetired, NotAuthenticated, TokenAddressRefused } from '../errors/refusals.ts';
import { statedRight } from '../rights/needs.ts';
import { applyRateLimit, stateWhatIsLeft } from '../budgets/rate-limit.ts';
import { RequestBudget } from '../budgets/request-budget.ts';
import { carriesApiKey } from './api-key.ts';
import type { Authenticated } from './jwt.strategy.ts';
import { RateLimiter } from './rate-limiter.ts';

const isAuthenticated = (value: unknown): value is Authenticated => typeof value === 'object' && value !== null && 'principal' in value;

/** Authenticates a request and counts it for the rate limit: by account, else by network (docs/spec/decisions.md#G12). */
@Injectable()
export class TokenGuard extends AuthGuard('jwt') {
  constructor(
    @Inject(RateLimiter) private readonly limiter: RateLimiter,
    @Inject(RequestBudget) private readonly budget: RequestBudget,
    @Inject(TokenUses) private readonly uses: Pick<TokenUses, 'record'>,
  ) {
    super({ session: false });
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const right = statedRight(context.getHandler(), context.getClass());
    stateOf(request).right = right;
    const again = currentRecomputation();
    if (again !== undefined) {
      stateOf(request).principal = again.principal;
      return true;
    }
    if (carriesApiKey(request.url)) {
      this.countNetwork(context);
      throw new ApiKeyRetired();
    }
    if (right?.kind === 'public') {
      this.countNetwork(context);
      return true;
    }
    return (await super.canActivate(context)) === true;
  }

  /** Called by Passport with the result of the JWT strategy; `user` is false without a valid token, `info` is the reason. */
  override handleRequest<User>(error: unknown, user: User, info: unknown, context: ExecutionContext): User {
    if (error) throw error instanceof Error ? error : new NotAuthenticated();
    // The keys could not be read: Passport takes that for an invalid token, for which a client would drop it.
    if (info instanceof Error && isTransientDatabaseError(info)) throw info;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isAuthenticated(user)) {
      this.countNetwork(context);
      throw new NotAuthenticated();
    }
    const { principal } = user;
    // Counted for the client, not for the account: a stolen token must not use up the requests of its owner.
    if (principal.limits?.addresses?.include(request.ip) === false) {
      this.countNetwork(context);
      throw new TokenAddressRefused(request.ip);
    }
    const reply = replyOf(context);
    applyRateLimit(reply, this.budget.count(principal));
    const countAsUnchanged = (): void => {
      stateWhatIsLeft(reply, this.budget.countAsUnchanged(principal));
    };
    this.uses.record({ subject: subjectOf(principal), tokenId: principal.tokenId }, request.ip);
    Object.assign(stateOf(request), { principal, claims: user.claims, countAsUnchanged });
    return user;
  }

  private countNetwork(context: ExecutionContext): void {
    const { ip } = context.switchToHttp().getRequest<FastifyRequest>();
    const state = this.limiter.count(networkOf(ip));
    applyRateLimit(replyOf(context), state === null ? [] : [state]);
  }
}

const replyOf = (context: ExecutionContext): FastifyReply => context.switchToHttp().getResponse<FastifyReply>();
