import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { NotAuthenticated } from '../errors/refusals.ts';
import { stateOf } from './request-state.ts';

const requestOf = (context: ExecutionContext): FastifyRequest => context.switchToHttp().getRequest<FastifyRequest>();

/** The principal of the request; the guard has made sure that there is one. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { principal } = stateOf(requestOf(context));
  if (principal === undefined) throw new NotAuthenticated();
  return principal;
});

/** The command context of the request: who asks, under which id, and where to tell what was written. */
export const Asked = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const state = stateOf(requestOf(context));
  if (state.context === undefined) throw new Error('no request context: the write interceptor did not run');
  return state.context;
});

/** The project that the path names and what the caller is in it; the rights guard has read and checked it. */
export const Accessed = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { access } = stateOf(requestOf(context));
  if (access === undefined) throw new Error('no project access: the right of this route is not one of a project');
  return access;
});

/** The check that the path names, in a project that the caller may use so. */
export const AccessedCheck = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { check } = stateOf(requestOf(context));
  if (check === undefined) throw new Error('no check: this route names none');
  return check;
});

/** The group that the path names, in a project that the caller may use so. */
export const AccessedArea = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { area } = stateOf(requestOf(context));
  if (area === undefined) throw new Error('no group: this route names none');
  return area;
});
