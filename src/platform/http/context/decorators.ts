import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { contextSlot, listSlot, principalSlot, settingsTagSlot } from './request-state.ts';

/** Who makes the request. */
export const CurrentPrincipal = principalSlot.parameter();

/** The command context of the request. */
export const CurrentContext = contextSlot.parameter();

/** What the query asks of a list. */
export const CurrentList = listSlot.parameter();

/** Takes the tag of the settings that a GET shows, for its `ETag` (docs/spec/decisions.md#G17). */
export type ShowTag = (tag: string) => void;

/** To be called with the tag of the settings that the answer shows. */
export const ShownSettings = createParamDecorator((_: unknown, context: ExecutionContext): ShowTag => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return (tag) => settingsTagSlot.set(request, tag);
});
