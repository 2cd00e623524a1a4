import { shortened } from '../../kernel/text.ts';
import type { SendOutcome } from '../../platform/outbox/outbox-relay.ts';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { AxiosInstance, AxiosResponse } from 'axios';
import { AddressRules } from '../../platform/security/ssrf-guard/address-rules.ts';
import { operatorGuard, type SsrfGuard } from '../../platform/security/ssrf-guard/ssrf-guard.ts';
import { guardedAgents } from '../../platform/security/ssrf-guard/guarded-agents.ts';
import { DAY_MS } from '../../kernel/time.ts';

/** What a receiver made of a message. */
export type DeliveryOutcome = Exclude<SendOutcome, { readonly kind: 'abandoned' }>;

const RETRYABLE = new Set([408, 425, 429]);

const MAX_EXCERPT = 160;

/** Retries 5xx and the 4xx statuses that name a temporary condition; every other 4xx is final. */
export function outcomeOfReply(reply: Reply): DeliveryOutcome {
  switch (reply.kind) {
    case 'forbidden':
      return { kind: 'refused', reason: reply.reason };
    case 'failed':
      return { kind: 'later', reason: reply.reason, afterMs: null };
    case 'answered': {
      const { status, retryAfterMs } = reply;
      const answer = `answered ${String(status)}${excerpt(reply.body)}`;
      if (status >= 200 && status < 300) return { kind: 'delivered', answer };
      if (status >= 300 && status < 400) return { kind: 'refused', reason: `answered ${String(status)}: redirects are not followed` };
      if (status >= 500 || RETRYABLE.has(status)) return { kind: 'later', reason: answer, afterMs: retryAfterMs };
      return { kind: 'refused', reason: answer };
    }
  }
}

function excerpt(body: string): string {
  const text = body
    .slice(0, 4 * MAX_EXCERPT)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (text === '' || text.startsWith('<')) return '';
  return `: ${shortened(text, MAX_EXCERPT)}`;
}

export type Reply =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string; readonly retryAfterMs: number | null }
  /** Refused by the SSRF guard. */
  | { readonly kind: 'forbidden'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string };

export interface PostRequest {
  /** Default: `POST`. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export type Post = (request: PostRequest) => Promise<Reply>;

const DEADLINE_MS = 10_000;
const READ_BYTES = 4_096;

export interface PostOptions {
  readonly deadlineMs?: number;
  /** Whether the body of an answer from an address that is not public is read: users see an excerpt of it. */
  readonly readsInternal?: boolean;
}

/** Every outgoing message goes through the SSRF guard here. Redirects are answered as they come and never followed. */
export function guardedPost(guard: SsrfGuard, { deadlineMs = DEADLINE_MS, readsInternal = false }: PostOptions = {}): Post {
  let client: Promise<AxiosInstance> | undefined;
  return async (request) => post(await (client ??= openClient(guard)), request, deadlineMs, readsInternal);
}

/** To an endpoint that the operator configured: `CHECKPOINT_URL`, `PAGERDUTY_URL` and the like. */
export const postToOperator = (): Post => guardedPost(operatorGuard(), { readsInternal: true });

const publicOnly = new AddressRules();
const isPublic = (address: string | undefined): boolean => address !== undefined && publicOnly.refusal(address) === null;

/** axios is loaded with the first message, to keep the start fast. */
async function openClient(guard: SsrfGuard): Promise<AxiosInstance> {
  const { default: axios } = await import('axios');
  return axios.create({
    ...guardedAgents(guard),
    maxRedirects: 0,
    proxy: false,
    responseType: 'stream',
    decompress: false,
    validateStatus: () => true,
  });
}

async function post(
  client: AxiosInstance,
  { method = 'POST', url, body, headers }: PostRequest,
  deadlineMs: number,
  readsInternal: boolean,
): Promise<Reply> {
  const signal = AbortSignal.timeout(deadlineMs);
  try {
    const wanted = { 'user-agent': 'Watchledger', 'accept-encoding': 'identity', ...headers };
    const response: AxiosResponse<IncomingMessage> = await client.request({
      method,
      url,
      data: method === 'GET' ? undefined : body,
      headers: wanted,
      signal,
    });
    const retryAfterMs = readRetryAfter(response.headers['retry-after'], Date.now());
    const { status, data: answer } = response;
    if (readsInternal || isPublic(answer.socket.remoteAddress))
      return { kind: 'answered', status, body: await excerptOf(answer), retryAfterMs };
    answer.destroy();
    return { kind: 'answered', status, body: '', retryAfterMs };
  } catch (error) {
    if (signal.aborted) return { kind: 'failed', reason: `no answer within ${String(deadlineMs / 1000)} s` };
    if (codeOf(error) === 'TARGET_REFUSED') return { kind: 'forbidden', reason: messageOf(error) };
    return { kind: 'failed', reason: messageOf(error) };
  }
}

/** Reads as much as is shown. A body that is too long, late or broken does not change the outcome, which the status has decided. */
async function excerptOf(answer: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= READ_BYTES) break;
    }
  } catch {
    // A truncated body is shown as far as it came.
  } finally {
    answer.destroy();
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** axios wraps the socket's error as its cause. */
const codeOf = (error: unknown): unknown => {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('cause' in error && typeof error.cause === 'object' && error.cause !== null && 'code' in error.cause) return error.cause.code;
  return 'code' in error ? error.code : undefined;
};

/** Never includes the address, which may hold a key. */
const messageOf = (error: unknown): string => (error instanceof Error && error.message !== '' ? error.message : 'no connection');

/** Seconds or an HTTP date, capped at the day after which a message is given up. */
export function readRetryAfter(header: unknown, now: number): number | null {
  if (typeof header !== 'string') return null;
  const wait = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(wait) && wait > 0 ? Math.min(wait, DAY_MS) : null;
}
