import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';

/** Where the client reached us, or `PUBLIC_URL`; with `/api`, without a slash at the end (docs/spec/decisions.md#J5). */
export const baseUrlOf = (request: FastifyRequest, { publicUrl }: Pick<Config, 'publicUrl'>): string =>
  `${publicUrl ?? `${request.protocol}://${request.host}`}/api`;
