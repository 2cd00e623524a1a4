import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { NotAuthenticated } from '../errors/refusals.ts';
import { type RequestState, stateOf } from './request-state.ts';

/** A parameter of a handler that a guard or an interceptor left in the request's state; `missing` makes the error when it did not. */
const fromState = <Key extends keyof RequestState>(key: Key, missing: () => Error) =>
  createParamDecorator((_: unknown, context: ExecutionContext) => {
    const value = stateOf(context.switchToHttp().getRequest<FastifyRequest>())[key];
    if (value === undefined) throw missing();
    return value;
  });

/** Who makes the request. */
export const CurrentPrincipal = fromState('principal', () => new NotAuthenticated());

/** The claims of the token of the request. */
export const CurrentClaims = fromState('claims', () => new NotAuthenticated());

/** The command context of the request. */
export const CurrentContext = fromState('context', () => new Error('no request context: the write interceptor did not run'));

/** The project that the path names and the caller's role in it. */
export const CurrentProject = fromState('access', () => new Error('no project access: this route does not require a right on a project'));

/** The check that the path names. */
export const CurrentCheck = fromState('check', () => new Error('no check: the path of this route does not name one'));

/** The area that the path names. */
export const CurrentArea = fromState('area', () => new Error('no area: the path of this route does not name one'));

/** Takes the tag of the settings that a GET shows, for its `ETag` (docs/spec/decisions.md#G17). */
export type ShowTag = (tag: string) => void;

/** To be called with the tag of the settings that the answer shows. */
export const ShownSettings = createParamDecorator((_: unknown, context: ExecutionContext): ShowTag => {
  const state = stateOf(context.switchToHttp().getRequest<FastifyRequest>());
  return (tag) => {
    state.settingsTag = tag;
  };
});

/** What the query asks of a list. */
export const CurrentList = fromState('list', () => new Error('no list: the operation of this route describes none'));
