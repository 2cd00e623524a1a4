import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { whenClosed } from '../context/disconnect-signal.ts';
import { currentRecomputation } from '../context/recomputation.ts';
import { isChangingGet } from '../context/request-context.ts';
import { answersAsOf } from './as-of-routes.ts';
import { beginRequest, enterInstant } from './as-of.ts';
import { asOfSlot, positionSlot } from '../context/request-state.ts';
import { DAY_MS } from '../../../kernel/time.ts';

/** Lets the handlers of requests that may ask about an instant read as of the one that the rights guard resolves. */
export function answerAsOf(fastify: FastifyInstance): void {
  fastify.addHook('preHandler', (request, reply, done) => {
    if (!asksAboutInstant(request)) {
      done();
      return;
    }
    whenClosed(reply, beginRequest(done));
  });
}

/** A receipt states one position exactly, and an answer that is computed again has that of its receipt. */
function asksAboutInstant({ method, routeOptions: { url = '' }, query, headers }: FastifyRequest): boolean {
  if (!answersAsOf(method, url)) return false;
  const isAsked = typeof query === 'object' && query !== null && 'asOf' in query;
  return isAsked || headers['accept-signature'] !== undefined || currentRecomputation() !== undefined;
}

const isRead = ({ method, routeOptions: { url } }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && !isChangingGet(url);

/** After its rights: enters the instant that the request asks about, and states the position of the log that the answer stands on. */
export function stateInstant(request: FastifyRequest, reply: FastifyReply, retentionDays: number): void {
  const [asOf, position] = [asOfSlot.get(request), positionSlot.get(request) ?? -1];
  if (asOf === undefined) {
    if (isRead(request) && position >= 0) void reply.header('watchledger-as-of', String(position));
    return;
  }
  // A request whose client has disconnected has ended, and its answer is not sent.
  if (!reply.raw.closed) enterInstant(asOf);
  const expired = asOf.at < Date.now() - retentionDays * DAY_MS;
  void reply.header('watchledger-as-of', `${String(asOf.n)}${expired ? '; observations=expired' : ''}`);
}
