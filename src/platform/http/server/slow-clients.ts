import { createServer, type RequestListener, type Server } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import type { ConnectionMetrics } from '../../telemetry/metrics/connection-metrics.ts';
import { TooManyUnfinishedRequests } from '../errors/refusals.ts';
import { announcesBody } from './request-bodies.ts';
import { growingCache } from '../../../kernel/cached.ts';
import { MINUTE_MS } from '../../../kernel/time.ts';
import { networkMatcher, networkOf } from '../../security/networks.ts';

/** The names of networks that `TRUST_PROXY` accepts beside CIDRs. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
};

/** Whether a connection comes from a proxy of `TRUST_PROXY`. */
const proxyMatcher = (trusted: readonly string[]): ((address: string) => boolean) =>
  networkMatcher(trusted.flatMap((entry) => NAMED[entry] ?? [entry]));

/** How much each client holds at the moment, by its network. */
class HeldByNetwork {
  private readonly counts = new Map<string, number>();
  private sum = 0;

  get total(): number {
    return this.sum;
  }

  /** Answers how to give it back, or null when the network holds `most` already. */
  take(address: string, most: number): (() => void) | null {
    const network = networkOf(address);
    const held = this.counts.get(network) ?? 0;
    if (held >= most) return null;
    this.counts.set(network, held + 1);
    this.sum++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.sum--;
      const left = (this.counts.get(network) ?? 1) - 1;
      if (left === 0) this.counts.delete(network);
      else this.counts.set(network, left);
    };
  }
}

/** How often Node closes connections whose request is not complete in time. */
const CHECK_MS = 1_000;

/** Options of Fastify: the time for the head and the whole of a request, and for a connection without any traffic. */
export const timeouts = ({ requestTimeout, connectionTimeout }: Pick<Config, 'requestTimeout' | 'connectionTimeout'>) => ({
  requestTimeout: requestTimeout * 1000,
  connectionTimeout: connectionTimeout * 1000,
  http: { requestTimeout: requestTimeout * 1000, headersTimeout: requestTimeout * 500, connectionsCheckingInterval: CHECK_MS },
});

/** As Fastify has it. */
const KEEP_ALIVE_MS = 72_000;
/** A client has to wait for an answer before it sends further requests than these on one connection (HTTP pipelining). */
const MOST_UNANSWERED = 4;
/** Connections of an address are closed unread for so long after one of them was closed for that: reading a packet of requests costs as much as answering some of them. */
const AFTER_PIPELINING_MS = 10_000;

/**
 * For Fastify's `serverFactory`: closes a connection with too many unanswered requests. Node reads all requests of a packet before it serves another
 * connection, and thousands fit into one.
 */
export function serverWithoutPipelining(
  handler: RequestListener,
  { http, requestTimeout, connectionTimeout }: ReturnType<typeof timeouts>,
  trustProxy: readonly string[],
): Server {
  const unanswered = new WeakMap<Socket, number>();
  const refusedUntil = growingCache<string, number>(10_000);
  const isProxy = proxyMatcher(trustProxy);
  const server = createServer(http, (request, response) => {
    const { socket } = request;
    const before = unanswered.get(socket) ?? 0;
    unanswered.set(socket, before + 1);
    if (before >= MOST_UNANSWERED) {
      const { remoteAddress = '' } = socket;
      if (!socket.destroyed && !isProxy(remoteAddress)) refusedUntil.set(networkOf(remoteAddress), performance.now() + AFTER_PIPELINING_MS);
      socket.destroy();
      return;
    }
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    handler(request, response);
  });
  server.on('connection', (socket) => {
    if ((refusedUntil.get(networkOf(socket.remoteAddress ?? '')) ?? 0) > performance.now()) socket.destroy();
  });
  server.requestTimeout = requestTimeout;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.setTimeout(connectionTimeout);
  return server;
}

type Limits = Pick<Config, 'maxConnections' | 'maxConnectionsPerAddress' | 'maxUnfinishedRequests' | 'trustProxy'>;

/** Closes connections beyond the limits at once: of all clients, and of one that is not a trusted proxy. */
export function limitConnections(server: Server, limits: Limits, metrics: ConnectionMetrics): void {
  const ofClients = new HeldByNetwork();
  const isProxy = proxyMatcher(limits.trustProxy);
  let open = 0;
  metrics.observeConnections(() => open);
  server.maxConnections = limits.maxConnections;
  server.on('drop', () => {
    metrics.refused('connections');
  });
  server.on('connection', (socket) => {
    open++;
    socket.once('close', () => open--);
    const { remoteAddress = '' } = socket;
    if (isProxy(remoteAddress)) return;
    const release = ofClients.take(remoteAddress, limits.maxConnectionsPerAddress);
    if (release === null) {
      metrics.refused('connections_of_address');
      socket.destroy();
    } else socket.once('close', release);
  });
}

/** Refuses further requests of a client that has begun many and finished none, before it holds any of their bodies. */
export function limitUnfinishedRequests(fastify: FastifyInstance, limits: Limits, metrics: ConnectionMetrics): void {
  const unfinished = new HeldByNetwork();
  metrics.observeUnfinishedRequests(() => unfinished.total);
  fastify.addHook('onRequest', (request, reply, done) => {
    const release = announcesBody(request.raw) ? unfinished.take(request.ip, limits.maxUnfinishedRequests) : undefined;
    if (release === null) {
      metrics.refused('unfinished_requests');
      // The rest of the body is not waited for.
      reply.header('connection', 'close');
      done(new TooManyUnfinishedRequests());
      return;
    }
    if (release !== undefined) {
      request.raw.once('end', release);
      // A body that is refused unread has no end, and the request no close.
      reply.raw.once('close', release);
    }
    done();
  });
}

const REFUSAL_DELAY_MS = 1_000;

/**
 * Delays refusals of a client beyond `rateLimit` of them a minute, so that one that ignores them sends a request a second on each of its connections.
 * `isAnonymous`: nothing else counts the request; a refusal for too many requests counts always.
 */
export function delayRefusals(
  fastify: FastifyInstance,
  { rateLimit, delayMs = REFUSAL_DELAY_MS }: Pick<Config, 'rateLimit'> & { readonly delayMs?: number },
  isAnonymous: (request: FastifyRequest) => boolean,
): void {
  if (rateLimit === 0) return;
  const refusals = growingCache<string, { count: number; readonly endsAt: number }>(100_000);
  fastify.addHook('onSend', (request, { statusCode }, payload, done) => {
    const isCounted = statusCode === 429 || (statusCode >= 400 && statusCode < 500 && isAnonymous(request));
    // An operation of a batch has no socket of its own.
    if (!isCounted || !(request.raw.socket instanceof Socket)) {
      done(null, payload);
      return;
    }
    const [network, now] = [networkOf(request.ip), performance.now()];
    const known = refusals.get(network);
    const window = known !== undefined && known.endsAt > now ? known : { count: 0, endsAt: now + MINUTE_MS };
    window.count++;
    refusals.set(network, window);
    if (window.count > rateLimit) setTimeout(done, delayMs, null, payload);
    else done(null, payload);
  });
}
