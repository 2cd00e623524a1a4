import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { DestinationOwner } from './destination.commands.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { NotAuthenticated } from '../../platform/http/errors/refusals.ts';
import { accessSlot } from '../../accounts/rights/request-right.ts';
import { contextSlot, principalSlot } from '../../platform/http/context/request-state.ts';

/** Who asks, and of whose destinations. */
export interface DestinationReader {
  readonly owner: DestinationOwner;
  readonly principal: Principal;
}

/** With the context of a write. */
export interface DestinationCaller extends DestinationReader {
  readonly context: RequestContext;
}

const readerOf = (execution: ExecutionContext): DestinationReader & { readonly context: RequestContext | undefined } => {
  const request = execution.switchToHttp().getRequest<FastifyRequest>();
  const [access, principal, context] = [accessSlot.get(request), principalSlot.get(request), contextSlot.get(request)];
  if (principal === undefined) throw new NotAuthenticated();
  return { owner: access?.projectId ?? null, principal, context };
};

/** A reader of the destinations of the project that the path names, else of the installation. */
export const CurrentReader = createParamDecorator((_: unknown, execution: ExecutionContext): DestinationReader => readerOf(execution));

export const CurrentCaller = createParamDecorator((_: unknown, execution: ExecutionContext): DestinationCaller => {
  const { context, ...reader } = readerOf(execution);
  if (context === undefined) throw new Error('no request context: the write interceptor did not run');
  return { ...reader, context };
});
