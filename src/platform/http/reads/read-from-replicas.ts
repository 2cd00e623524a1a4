import type { FastifyInstance, FastifyRequest } from 'fastify';
import { beginReading, READS_TABLES } from '../../postgres/read-replicas/current-replica.ts';
import type { ReadReplicas } from '../../postgres/read-replicas/read-replicas.ts';
import { whenClosed } from '../context/disconnect-signal.ts';
import { isChangingGet } from '../context/request-context.ts';

/** Injection token; null without `READ_URL`. */
export const READ_REPLICAS = Symbol('ReadReplicas');

/**
 * Beside those that change something: requests that wait for events, which the primary announces, and those that join a position which the primary keeps
 * beside the log (of the seal, of a subscription, of a destination) with events that a replica may not have yet.
 */
const ON_PRIMARY =
  /^\/api\/((events|ledger|witness|ops|health|metrics|openapi|asyncapi|schemas|authenticate|session|subscriptions|destinations)\b|project\/:id\/(live|destinations|statement|history\/:eventId\/proof))/;

const readsTables = ({ routeOptions: { config } }: FastifyRequest): boolean => Object.keys(READS_TABLES).every((key) => key in config);

/** Lets a replica answer the reads of API requests that change nothing. Public status pages are answered from memory. */
export function readFromReplicas(fastify: FastifyInstance, replicas: ReadReplicas): void {
  fastify.addHook('preHandler', (request, reply, done) => {
    if (!mayBeAnsweredByReplica(request)) {
      done();
      return;
    }
    const choosing = readsTables(request) ? replicas.chooseForTables() : replicas.choose();
    void choosing.then((replica) => {
      if (replica === null || reply.raw.closed) done();
      else whenClosed(reply, beginReading(replica, done));
    });
  });
}

function mayBeAnsweredByReplica({ method, routeOptions: { url = '' }, headers, query }: FastifyRequest): boolean {
  if (method !== 'GET' && method !== 'HEAD') return false;
  if (!url.startsWith('/api/') || isChangingGet(url) || ON_PRIMARY.test(url)) return false;
  const waits = typeof query === 'object' && query !== null && 'wait' in query;
  // A receipt is signed with a position of the seal.
  return !waits && headers['accept-signature'] === undefined;
}
