import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isChangingGet } from '../context/request-context.ts';
import { settingsTagSlot, unchangedSlot } from '../context/request-state.ts';

/**
 * Strong validators (RFC 9110): a hash of the content type and the bytes of the answer, because clocks, measurements and the rights of the caller enter
 * many answers and no position of the log tells of them. Streams have none, because their bytes are not known before they are sent. In front of it
 * stands the tag of the settings that are shown, which alone `If-Match` compares (docs/spec/decisions.md#G17).
 */
export const entityTagOf = (type: string, body: string | Buffer, settings?: string): string =>
  `"${settings === undefined ? '' : `${settings}.`}${createHash('sha256').update(`${type}\n`).update(body).digest('base64url').slice(0, 27)}"`;

/** The tags of answers that are made once and sent again, such as the description of the API. */
const known = new WeakMap<Buffer, { readonly of: string; readonly tag: string }>();

function tagOf(type: string, body: string | Buffer, settings: string | undefined): string {
  if (typeof body === 'string') return entityTagOf(type, body, settings);
  const of = `${settings ?? ''} ${type}`;
  const kept = known.get(body);
  if (kept?.of === of) return kept.tag;
  const tag = entityTagOf(type, body, settings);
  known.set(body, { of, tag });
  return tag;
}

/** The tags in `If-None-Match`; what cannot be read is none. */
const ENTITY_TAG = /"[\x21\x23-\x7e\x80-\xff]*"/g;

/** Weak comparison, as RFC 9110 asks of `If-None-Match`. */
export const isNoneMatch = (header: string, tag: string): boolean =>
  header.trim() !== '*' && header.match(ENTITY_TAG)?.includes(tag) !== true;

/** Answers `GET` and `HEAD` of the API with an `ETag`, and 304 where `If-None-Match` has it. Refusals come first: they are not 200. */
export function answerConditionally(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const isBytes = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (!isBytes || reply.statusCode !== 200 || !isRead(request)) {
      done(null, payload);
      return;
    }
    const [settingsTag, countAsUnchanged] = [settingsTagSlot.get(request), unchangedSlot.get(request)];
    const tag = tagOf(String(reply.getHeader('content-type') ?? ''), payload, settingsTag);
    reply.header('etag', tag).header('vary', varyOf(reply));
    const given = request.headers['if-none-match'];
    if (given === undefined || isNoneMatch(given, tag)) {
      done(null, payload);
      return;
    }
    countAsUnchanged?.();
    reply.code(304).removeHeader('content-type').removeHeader('content-length');
    done(null, '');
  });
}

const isRead = ({ method, routeOptions: { url } }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && url?.startsWith('/api/') === true && !isChangingGet(url);

/** The form of an answer may follow `Accept`, its content the caller, and its signature `Accept-Signature`. */
function varyOf(reply: FastifyReply): string {
  const given = String(reply.getHeader('vary') ?? '');
  return [...(given === '' ? [] : [given]), 'Accept', 'Authorization', 'Cookie', 'Accept-Signature'].join(', ');
}
