import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RecentSignInNeeded, SecondFactorWrong } from '../../platform/http/errors/refusals.ts';
import { KeyedWrites } from '../../platform/http/idempotency/keyed-writes.ts';
import { needsRecentSignIn } from '../rights/needs.ts';
import { RecentSignIn } from './recent-sign-in.ts';
import { principalSlot, refusalSlot } from '../../platform/http/context/request-state.ts';

/** The third guard: re-authenticates the caller of a route that states `@NeedsRecentSignIn()`. */
@Injectable()
export class RecentSignInGuard implements CanActivate {
  constructor(
    private readonly recentSignIn: RecentSignIn,
    private readonly keyedWrites: KeyedWrites,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    return needsRecentSignIn(context.getHandler()) ? this.require(context) : true;
  }

  private async require(context: ExecutionContext): Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const principal = principalSlot.get(request);
    try {
      await this.recentSignIn.require(request);
    } catch (error) {
      // The repeat of a keyed write gets its first answer, also when the sign-in has become too old meanwhile, or its code was used by the first time.
      const mayBeRepeat = error instanceof RecentSignInNeeded || error instanceof SecondFactorWrong;
      if (!mayBeRepeat || principal === undefined) throw error;
      if (!(await this.keyedWrites.wasAccepted(principal, request))) throw error;
      refusalSlot.set(request, error);
    }
    return true;
  }
}
