import { isUtf8 } from 'node:buffer';
import { UnsupportedMediaTypeException } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { InvalidInput } from '../../kernel/errors.ts';

export const BODY_LIMIT = 1024 * 1024;
/** What reads a body goes down into it, a few frames a level. */
const MOST_LEVELS = 100;

type Done = (error: Error | null, body?: unknown) => void;

/**
 * JSON in UTF-8, and what does not say what it is: many a client sends its JSON without a type. Whatever says that it is something else is refused, unless it is
 * nothing: an empty body is no body (docs/spec/decisions.md#G7).
 */
export function readJson(fastify: FastifyInstance): void {
  const parser = fastify.getDefaultJsonParser('error', 'error');
  const parse = (request: FastifyRequest, body: Buffer, done: Done): void => {
    if (body.length === 0) done(null, undefined);
    else if (!isUtf8(body)) done(new InvalidInput('The body is not valid UTF-8.'));
    else void parser(request, body.toString('utf8'), (error, value: unknown) => judge(error, value, done));
  };
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, parse);
  fastify.addContentTypeParser<Buffer>('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (request, body, done) => {
    const untold = request.headers['content-type'] === undefined;
    if (untold || body.length === 0) parse(request, body, done);
    else done(new UnsupportedMediaTypeException());
  });
}

function judge(error: Error | null, value: unknown, done: Done): void {
  if (error !== null) done(new InvalidInput('The body is not valid JSON, or uses a name that is not allowed, such as __proto__.'));
  else if (isDeeper(value, MOST_LEVELS)) done(new InvalidInput(`The body is nested more than ${String(MOST_LEVELS)} levels deep.`));
  else done(null, value);
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
