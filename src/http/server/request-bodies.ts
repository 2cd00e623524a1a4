import { isUtf8 } from 'node:buffer';
import { UnsupportedMediaTypeException } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { InvalidInput } from '../../kernel/errors.ts';

export const BODY_LIMIT = 1024 * 1024;
/** Readers of bodies recurse, a few stack frames per level. */
const MAX_DEPTH = 100;

type Done = (error: Error | null, body?: unknown) => void;

/**
 * Accepts JSON in UTF-8, also without a content type, which many clients omit. Another content type is refused unless the body is empty
 * (docs/spec/decisions.md#G7).
 */
export function readJson(fastify: FastifyInstance): void {
  const parser = fastify.getDefaultJsonParser('error', 'error');
  const parse = (request: FastifyRequest, body: Buffer, done: Done): void => {
    if (body.length === 0) done(null, undefined);
    else if (!isUtf8(body)) done(new InvalidInput('The body is not valid UTF-8.'));
    else void parser(request, body.toString('utf8'), (error, value: unknown) => validate(error, value, done));
  };
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, parse);
  fastify.addContentTypeParser<Buffer>('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (request, body, done) => {
    if (request.headers['content-type'] === undefined || body.length === 0) parse(request, body, done);
    else done(new UnsupportedMediaTypeException());
  });
}

function validate(error: Error | null, value: unknown, done: Done): void {
  if (error !== null) done(new InvalidInput('The body is not valid JSON, or uses a name that is not allowed, such as __proto__.'));
  else if (isDeeperThan(MAX_DEPTH, value)) done(new InvalidInput(`The body is nested more than ${String(MAX_DEPTH)} levels deep.`));
  else done(null, value);
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(levels - 1, member));
}
