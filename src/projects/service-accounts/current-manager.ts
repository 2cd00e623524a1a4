import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ServiceAccountOwner } from './service-account.commands.ts';
import type { TokenClaims } from '../../accounts/sign-in/token-signer.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { NotAuthenticated } from '../../platform/http/errors/refusals.ts';
import { claimsSlot } from '../../accounts/sign-in/request-caller.ts';
import { accessSlot } from '../../accounts/rights/request-right.ts';
import { contextSlot, principalSlot } from '../../platform/http/context/request-state.ts';

/** Who manages service accounts, and whose. */
export interface ServiceManager {
  readonly owner: ServiceAccountOwner;
  readonly principal: Principal;
  readonly claims: TokenClaims;
  /** The context of the write. */
  readonly context: RequestContext;
}

/** The manager of the service accounts of the project that the path names, else of the installation. */
export const CurrentManager = createParamDecorator((_: unknown, execution: ExecutionContext): ServiceManager => {
  const request = execution.switchToHttp().getRequest<FastifyRequest>();
  const [access, principal, claims, context] = [
    accessSlot.get(request),
    principalSlot.get(request),
    claimsSlot.get(request),
    contextSlot.get(request),
  ];
  if (principal === undefined || claims === undefined) throw new NotAuthenticated();
  if (context === undefined) throw new Error('no request context: the write interceptor did not run');
  return { owner: access?.projectId ?? null, principal, claims, context };
});

/** The owner of the service accounts that a read is about: the project that the path names, else the installation. */
export const CurrentOwner = createParamDecorator(
  (_: unknown, execution: ExecutionContext): ServiceAccountOwner =>
    accessSlot.get(execution.switchToHttp().getRequest<FastifyRequest>())?.projectId ?? null,
);
