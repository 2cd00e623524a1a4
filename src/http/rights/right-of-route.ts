import type { ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Right } from './right.ts';
import { rightOf } from './rights-table.ts';
import { statedRight } from './stated-right.ts';

/** The table comes first: what it asks for, no route changes. Null: not one of the API. Undefined: nobody said anything, so it is closed. */
export function rightOfRoute(context: ExecutionContext, { method, routeOptions }: FastifyRequest): Right | null | undefined {
  const listed = rightOf(method, routeOptions.url ?? '');
  return listed === undefined ? statedRight(context.getHandler(), context.getClass()) : listed;
}
