import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isChangingGet } from '../context/request-context.ts';

/** The longest id or name in a path. */
export const MAX_PARAM_LENGTH = 300;

const ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** What the body of a PATCH is: RFC 7396, also sent as plain JSON. */
const ACCEPT_PATCH = 'application/merge-patch+json, application/json';

interface KnownRoute {
  readonly url: string;
  readonly pattern: RegExp;
  readonly methods: Set<string>;
}

/** The methods of every path, collected from the routes as they are added (docs/spec/decisions.md#G5). */
export class RouteMethods {
  private readonly byUrl = new Map<string, KnownRoute>();
  /** As the router chooses: names before parameters, `*` last. */
  private sorted: readonly KnownRoute[] | undefined;

  add(method: string, url: string): void {
    const known = this.byUrl.get(url) ?? { url, pattern: patternOf(url), methods: new Set() };
    known.methods.add(method);
    this.byUrl.set(url, known);
    this.sorted = undefined;
  }

  /** Empty for an unknown path. HEAD is left out where GET changes something. */
  of(path: string): readonly string[] {
    this.sorted ??= [...this.byUrl.values()].toSorted((one, other) => (rankOf(one.url) < rankOf(other.url) ? -1 : 1));
    const matching = this.sorted.filter(({ pattern }) => pattern.test(path));
    const get = matching.find(({ methods }) => methods.has('GET'));
    const has = (method: string): boolean => matching.some(({ methods }) => methods.has(method));
    const found = ORDER.filter((method) => has(method) && !(method === 'HEAD' && isChangingGet(get?.url)));
    return found.length === 0 ? [] : [...found, 'OPTIONS'];
  }
}

/**
 * Answers OPTIONS with the methods of a known path, and states them in the refusal of another method. Without a token, and before anything is
 * counted or read. `cors`: whether a preflight is answered elsewhere. Call before the routes are added.
 */
export function stateAllowedMethods(fastify: FastifyInstance, { cors }: { readonly cors: boolean }): void {
  const known = new RouteMethods();
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) if (one !== 'OPTIONS') known.add(one, url);
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    // Fastify answers HEAD by running the GET route, which for these routes would write.
    const isRefusedHead = request.method === 'HEAD' && isChangingGet(request.routeOptions.url);
    if (!request.is404 && !isRefusedHead && request.method !== 'OPTIONS') {
      // A 415 has to say what would be accepted (RFC 5789, 2.2).
      if (request.method === 'PATCH') reply.header('accept-patch', ACCEPT_PATCH);
      done();
      return;
    }
    const allowed = known.of(pathOf(request));
    if (allowed.length > 0) reply.header('allow', allowed.join(', '));
    if (allowed.includes('PATCH')) reply.header('accept-patch', ACCEPT_PATCH);
    if (isRefusedHead) reply.callNotFound();
    else if (request.method === 'OPTIONS' && allowed.length > 0 && !(cors && isPreflight(request))) void reply.status(204).send();
    else done();
  });
}

const isPreflight = ({ headers }: FastifyRequest): boolean =>
  headers.origin !== undefined && headers['access-control-request-method'] !== undefined;

const rankOf = (url: string): string => url.replace(/:\w+/g, '~').replace('*', '~~');

const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .replaceAll('.', '\\.')
      .replace(/:\w+/g, `[^/]{1,${String(MAX_PARAM_LENGTH)}}`)
      .replace('*', '.*')}/?$`,
    's',
  );

/** Decoded as the router does; unreadable ones are unknown. */
function pathOf({ url }: FastifyRequest): string {
  try {
    return decodeURI(url.split('?', 1)[0] ?? '');
  } catch {
    return '';
  }
}
