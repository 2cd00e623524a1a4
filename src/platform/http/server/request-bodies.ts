import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { randomInt } from 'node:crypto';
import { NotFoundException, UnsupportedMediaTypeException } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { InvalidInput } from '../../../kernel/errors.ts';
import { NotAuthenticated } from '../errors/refusals.ts';

/** How much work a JSON text makes for its parser and for everything that walks its value. */
export interface JsonSize {
  readonly depth: number;
  /** Members of objects and elements of lists, at any level. */
  readonly values: number;
  /** Different names of members, as they are written; counted up to one more than the most allowed. */
  readonly names: number;
}

const [QUOTE, BACKSLASH, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,:[]{}');

/** The factor of the hash of a name, which counts as known when another one has its hash; random, so that no sender can search for such names. */
const FACTOR = 2 * randomInt(2 ** 30) + 1;

/**
 * Measured in one pass over the bytes, before parsing: parsing 1 MiB of unknown names takes 200 ms, this 2 ms. A list or object has one value more
 * than commas, so `values` is exact but for empty ones, which count as one. Text that is not JSON gets some size, and is refused by the parser.
 */
export function measureJson(json: Uint8Array, mostNames: number): JsonSize {
  let [depth, deepest, values, hash] = [0, 0, 0, 0];
  const names = new Set<number>();
  for (let at = 0; at < json.length; at++)
    switch (json[at]) {
      case QUOTE:
        hash = 0;
        for (at++; at < json.length && json[at] !== QUOTE; at++) {
          if (json[at] === BACKSLASH) at++;
          hash = (Math.imul(hash, FACTOR) + (json[at] ?? 0)) | 0;
        }
        break;
      case COLON:
        if (names.size <= mostNames) names.add(hash);
        break;
      case COMMA:
        values++;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        values++;
        depth++;
        if (depth > deepest) deepest = depth;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
        break;
      case undefined:
    }
  return { depth: deepest, values, names: names.size };
}

/** What a body may contain. */
interface BodyLimits {
  readonly bytes: number;
  /** Members of objects and elements of lists, at any level. */
  readonly values: number;
  /** Different ones: the parser keeps each in a table of the process, which takes far longer than a name that it knows. */
  readonly names: number;
}

/** `values`: the 24 KiB of a list of rules can be 3,500, and no operation accepts more (docs/spec/decisions.md#G7). */
const WITH_TOKEN: BodyLimits = { bytes: 1024 * 1024, values: 5_000, names: 5_000 };
/** A batch has up to a thousand operations, each of which is measured by the limits above when it is carried out. */
const BATCH_BODY: BodyLimits = { bytes: WITH_TOKEN.bytes, values: 100_000, names: 5_000 };
const WITHOUT_TOKEN: BodyLimits = { bytes: 16 * 1024, values: 200, names: 200 };
/** Readers of bodies recurse, a few stack frames per level. */
const MAX_DEPTH = 100;

/** The limit for routes that need no token, and for unknown paths. */
export const DEFAULT_BODY_LIMIT = WITHOUT_TOKEN.bytes;

const BATCH_ROUTE = '/api/batch';

/** Operations that take a text, of any content type. */
const TEXT_ROUTES: ReadonlySet<string> = new Set(['/api/witness/add-checkpoint']);

type Done = (error: Error | null, body?: unknown) => void;

/**
 * Accepts JSON in UTF-8, also without a content type, which many clients omit. A PATCH may call it a merge patch. Another content type is refused
 * unless the body is empty (docs/spec/decisions.md#G7, #G18).
 */
export function readJson(fastify: FastifyInstance): void {
  const parser = fastify.getDefaultJsonParser('error', 'error');
  const parse = (request: FastifyRequest, body: Buffer, done: Done): void => {
    if (body.length === 0) {
      done(null, undefined);
      return;
    }
    if (takesText(request)) {
      done(null, body.toString('utf8'));
      return;
    }
    const problem = problemOf(body, limitsOf(request));
    if (problem !== null) done(new InvalidInput(problem));
    else
      void parser(request, body.toString('utf8'), (error, value: unknown) => {
        done(error === null ? null : new InvalidInput(NOT_JSON), value);
      });
  };
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, parse);
  fastify.addContentTypeParser<Buffer>('application/merge-patch+json', { parseAs: 'buffer' }, (request, body, done) => {
    if (request.method === 'PATCH' || body.length === 0) parse(request, body, done);
    else done(new UnsupportedMediaTypeException());
  });
  fastify.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (request.headers['content-type'] === undefined || body.length === 0 || takesText(request)) parse(request, body, done);
    else done(new UnsupportedMediaTypeException());
  });
}

const takesText = ({ routeOptions: { url } }: FastifyRequest): boolean => url !== undefined && TEXT_ROUTES.has(url);

const NOT_JSON = 'The body is not valid JSON, or uses a name that is not allowed, such as __proto__.';

/** Before the body is parsed, because parsing itself would hold the event loop. */
function problemOf(body: Buffer, most: BodyLimits): string | null {
  if (!isUtf8(body)) return 'The body is not valid UTF-8.';
  const { depth, values, names } = measureJson(body, most.names);
  if (depth > MAX_DEPTH) return `The body is nested more than ${String(MAX_DEPTH)} levels deep.`;
  if (values > most.values) return `The body has more than ${String(most.values)} names and list elements.`;
  return names > most.names ? `The body has more than ${String(most.names)} different names.` : null;
}

function limitsOf({ routeOptions: { bodyLimit, url } }: FastifyRequest): BodyLimits {
  if (bodyLimit !== WITH_TOKEN.bytes) return WITHOUT_TOKEN;
  return url === BATCH_ROUTE ? BATCH_BODY : WITH_TOKEN;
}

/** Raises the limit of routes that need a token, among them those of teams. Call before the routes are added. */
export function raiseLimitWithToken(fastify: FastifyInstance, isPublic: (operation: string) => boolean): void {
  fastify.addHook('onRoute', (route) => {
    const operation = `${String(route.method)} ${route.url.replace(/^\/api(?=\/)/, '')}`;
    if (route.url.startsWith('/api/') && !isPublic(operation)) route.bodyLimit = WITH_TOKEN.bytes;
  });
}

/**
 * Refuses, before a body is read, what nothing would read it for: an unknown path, and a large body without a token or a cookie, or that `admit`
 * rejects, because the token is not valid or a limit is used up.
 */
export function refuseUselessBodies(
  fastify: FastifyInstance,
  admit: (request: FastifyRequest, reply: FastifyReply) => Promise<void>,
): void {
  fastify.addHook('onRequest', async (request, reply) => {
    if (!announcesBody(request.raw)) return;
    if (request.is404) throw new NotFoundException();
    if (limitsOf(request) === WITHOUT_TOKEN || !isLarge(request.raw)) return;
    if (isAnonymous(request)) throw new NotAuthenticated();
    await admit(request, reply);
  });
}

const isAnonymous = ({ headers }: FastifyRequest): boolean => headers.authorization === undefined && headers.cookie === undefined;

export const announcesBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const isLarge = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > WITHOUT_TOKEN.bytes;
