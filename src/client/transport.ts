import { ApiError, NoAnswer, type RefusalBody } from './api-error.ts';
import { backOffsOf, Deadline, delayOf, pauseFor } from './waiting.ts';

export interface ClientOptions {
  /** The address of the service, such as `https://watchledger.example`; empty in a page that the service answers. */
  readonly baseUrl?: string;
  /** The token of the caller; a function is called for each attempt, so that it can renew the token. */
  readonly token?: string | null | (() => string | null | Promise<string | null>);
  /** The timeout of one attempt; 30 s by default. */
  readonly timeoutMs?: number;
  /** Attempts of a request that may be repeated; 8 by default, which are about 25 s and so outlast a restart of the service. */
  readonly attempts?: number;
  /** A longer `Retry-After` is not waited for but thrown; 60 s by default. */
  readonly longestWaitMs?: number;
  /** Called before a request is repeated; when it answers false, the error is thrown instead. */
  readonly beforeRepeat?: (failed: FailedAttempt) => boolean;
  readonly fetch?: typeof fetch;
}

/** An attempt after which there is another one. */
export interface FailedAttempt {
  readonly error: ApiError | NoAnswer;
  /** Until the next attempt. */
  readonly waitMs: number;
  /** Until the last one, if each fails at once. */
  readonly leftMs: number;
}

/** What may be repeated: everything, or only what was refused before anything was done. */
export type Repeatable = 'always' | 'when refused';

export interface ClientRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly repeatable: Repeatable;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  /** Without an end: for a feed, which outlasts restarts of the service. */
  readonly isPatient?: boolean;
}

/** An answer as it came. */
export interface ReceivedBytes {
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** 502 and 504 come from a proxy in front of the service. */
const TRANSIENT = new Set([429, 502, 503, 504]);

/** Sends requests, and repeats those that may be repeated. */
export class Transport {
  readonly #base: string;
  readonly #fetch: typeof fetch;

  constructor(readonly options: ClientOptions) {
    this.#base = `${(options.baseUrl ?? '').replace(/\/+$/, '')}/api`;
    // A browser's fetch must be called as a function of the window.
    this.#fetch = options.fetch ?? ((...given) => fetch(...given));
  }

  async send(request: ClientRequest): Promise<ReceivedBytes> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#once(request);
      } catch (error) {
        request.signal?.throwIfAborted();
        await pauseFor(this.#delayBefore(error, request, attempt), request.signal);
      }
    }
  }

  /** One attempt, up to the head of the answer; throws unless it is a success or 304. */
  async open({ method, path, headers, body }: ClientRequest, deadline: Deadline): Promise<Response> {
    const { token } = this.options;
    const bearer = typeof token === 'function' ? await token() : (token ?? null);
    const answer = await this.#fetch(`${this.#base}${path}`, {
      method,
      headers: { accept: 'application/json', ...(bearer !== null && { authorization: `Bearer ${bearer}` }), ...headers },
      ...(body !== undefined && { body }),
      signal: deadline.signal,
      // A redirect would lose the method, and a cache what the service signs.
      redirect: 'error',
      cache: 'no-store',
    });
    if (answer.ok || answer.status === 304) return answer;
    throw new ApiError(`${method} ${path}`, answer.status, answer.headers, refusalOf(await answer.text()));
  }

  async #once(request: ClientRequest): Promise<ReceivedBytes> {
    const deadline = new Deadline(request.signal, request.timeoutMs ?? this.options.timeoutMs ?? 30_000);
    try {
      const answer = await this.open(request, deadline);
      const { url, status, headers } = answer;
      return { url, status, headers, bytes: new Uint8Array(await answer.arrayBuffer()) };
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw new NoAnswer(`${request.method} ${request.path}`, deadline.isOver ? 'timeout' : 'network', error);
    } finally {
      deadline.end();
    }
  }

  /** Milliseconds until the next attempt; throws the error where there is none. */
  #delayBefore(error: unknown, { repeatable, isPatient = false }: ClientRequest, attempt: number): number {
    const { attempts = 8, longestWaitMs = 60_000, beforeRepeat } = this.options;
    const least = error instanceof ApiError && error.retryAfter !== null ? error.retryAfter * 1000 : null;
    const isLast = !isPatient && (attempt + 1 >= attempts || (least ?? 0) > longestWaitMs);
    const isFailure = error instanceof ApiError || error instanceof NoAnswer;
    if (isLast || !isFailure || !mayRepeat(error, repeatable)) throw error;
    const waitMs = delayOf(attempt, least);
    const leftMs = isPatient ? Infinity : waitMs + backOffsOf(attempt + 1, attempts - 1);
    if (beforeRepeat?.({ error, waitMs, leftMs }) === false) throw error;
    return waitMs;
  }
}

/** 429 is answered before anything is done. */
export function mayRepeat(error: ApiError | NoAnswer, repeatable: Repeatable): boolean {
  if (error instanceof ApiError) return error.status === 429 || (repeatable === 'always' && TRANSIENT.has(error.status));
  return repeatable === 'always';
}

/** Empty where it is not one of the service. */
function refusalOf(text: string): RefusalBody {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    return {};
  }
}
