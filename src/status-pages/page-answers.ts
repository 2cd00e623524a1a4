import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HtmlPage } from './page/shell.ts';
import type { ServedPage } from './page-cache.ts';
import { HTML, type ServedBody } from './served-body.ts';

/** How long a proxy or a browser may show a page without asking again: a change has to be seen soon. */
const CACHED = 'public, max-age=2';

export const cacheOf = ({ page, staleSince }: ServedPage): string =>
  page.settings.access !== 'public' ? 'private, no-store' : staleSince === null ? CACHED : 'no-store';

/** The last two: the addresses in feeds follow the host and scheme that a trusted proxy states. */
const VARY = 'Accept-Encoding, Accept-Language, Cookie, X-Forwarded-Host, X-Forwarded-Proto';

/** A small page of one request, as it is: a stranger can ask for any number of them, and compressing one costs more than making it. */
export function sendUncached(reply: FastifyReply, { html, policy }: HtmlPage): void {
  void reply.headers({ 'cache-control': 'no-store', vary: VARY, 'content-security-policy': policy }).type(HTML).send(html);
}

/** Answers in the best coding that the reader accepts, or with 304. */
export function sendBody(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, plain, gzip, br, etag, policy }: ServedBody,
  cache: string,
): void {
  const { 'accept-encoding': accepted = '', 'if-none-match': held } = request.headers;
  void reply.headers({ 'cache-control': cache, etag, vary: VARY, 'content-security-policy': policy });
  if (reply.statusCode === 200 && held?.includes(etag) === true) {
    void reply.status(304).send();
    return;
  }
  void reply.type(type);
  if (/\bbr\b/.test(accepted)) void reply.header('content-encoding', 'br').send(br);
  else if (/\bgzip\b/.test(accepted)) void reply.header('content-encoding', 'gzip').send(gzip);
  else void reply.send(plain);
}
