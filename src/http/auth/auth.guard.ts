import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { networkOf } from '../../security/networks.ts';
import { stateOf } from '../context/request-state.ts';
import { NotAuthenticated, RateLimited } from '../errors/refusals.ts';
import { statedRight } from '../rights/needs.ts';
import { carriesApiKey } from './api-key.ts';
import type { Authenticated } from './jwt.strategy.ts';
import { RateLimiter } from './rate-limiter.ts';

const isAuthenticated = (value: unknown): value is Authenticated => typeof value === 'object' && value !== null && 'principal' in value;

/** Authenticates a request and counts it for the rate limit: by token, else by network (docs/spec/decisions.md#G12). */
@Injectable()
export class TokenGuard extends AuthGuard('jwt') {
  constructor(@Inject(RateLimiter) private readonly limiter: RateLimiter) {
    super({ session: false });
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const right = statedRight(context.getHandler(), context.getClass());
    stateOf(request).right = right;
    if (carriesApiKey(request.url)) {
      this.count(`network ${networkOf(request.ip)}`);
      throw new NotAuthenticated('API key authentication is deprecated. Use an API token instead.');
    }
    if (right?.kind === 'public') {
      this.count(`network ${networkOf(request.ip)}`);
      return true;
    }
    return (await super.canActivate(context)) === true;
  }

  /** Called by Passport with the result of the JWT strategy; `user` is false without a valid token. */
  override handleRequest<User>(error: unknown, user: User, _info: unknown, context: ExecutionContext): User {
    if (error) throw error instanceof Error ? error : new NotAuthenticated();
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isAuthenticated(user)) {
      this.count(`network ${networkOf(request.ip)}`);
      throw new NotAuthenticated();
    }
    this.count(`token ${user.principal.tokenId}`);
    Object.assign(stateOf(request), { principal: user.principal, claims: user.claims });
    return user;
  }

  private count(key: string): void {
    const wait = this.limiter.count(key);
    if (wait > 0) throw new RateLimited(wait);
  }
}
