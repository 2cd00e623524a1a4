import { WatchledgerClient } from 'watchledger/client';
import { describedFetch } from './described-fetch.ts';

const MOST_TRIES = 40;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed when it is JSON, else null. */
  readonly body: Json;
}

/** Untyped: assertions of the tests check it. */
export type Json = any; // oxlint-disable-line typescript/no-explicit-any -- what comes over the wire is looked at by assertions alone

/** An API client: paths below the API prefix, JSON bodies, one token. Throws when an answer is not as the description says. */
export class ApiClient {
  constructor(
    private readonly base: string,
    readonly token: string | null = null,
    private readonly defaults: Readonly<Record<string, string>> = {},
    private readonly described = true,
  ) {}

  as(token: string | null): ApiClient {
    return new ApiClient(this.base, token, this.defaults, this.described);
  }

  with(headers: Readonly<Record<string, string>>): ApiClient {
    return new ApiClient(this.base, this.token, { ...this.defaults, ...headers }, this.described);
  }

  /** For what packages of teams serve: the description of the service knows nothing of it. */
  ofTeams(): ApiClient {
    return new ApiClient(this.base, this.token, this.defaults, false);
  }

  /** The typed client, for tests that are not about the wire; its answers are held against the description, too. */
  get client(): WatchledgerClient {
    const withDefaults: typeof fetch = (url, init) => {
      const headers = new Headers(this.defaults);
      for (const [name, value] of new Headers(init?.headers)) headers.set(name, value);
      return describedFetch(url, { ...init, headers });
    };
    return new WatchledgerClient({ baseUrl: this.base, token: this.token, fetch: withDefaults });
  }

  get = (path: string): Promise<Answer> => this.send('GET', path);
  post = (path: string, body?: unknown): Promise<Answer> => this.send('POST', path, body);
  put = (path: string, body?: unknown): Promise<Answer> => this.send('PUT', path, body);
  patch = (path: string, body?: unknown): Promise<Answer> => this.send('PATCH', path, body);
  delete = (path: string, body?: unknown): Promise<Answer> => this.send('DELETE', path, body);

  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.raw(method, path, body === undefined ? undefined : JSON.stringify(body));
  }

  /** Retries a read that a busy machine could not answer in time, as any client would. */
  async raw(method: string, path: string, body?: string): Promise<Answer> {
    for (let tries = 0; ; tries++) {
      const answer = await this.once(method, path, body);
      if (answer.status !== 503 || !answer.text.includes('could not be read soon') || tries === MOST_TRIES) return answer;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  private async once(method: string, path: string, body?: string): Promise<Answer> {
    const headers = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
      ...this.defaults,
    };
    const ask = this.described ? describedFetch : fetch;
    const answer = await ask(`${this.base}/api${path}`, { method, headers, redirect: 'manual', ...(body === undefined ? {} : { body }) });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: parsed(text) };
  }

  /** Signs in and answers a client with the token. */
  async signIn(email: string, password: string, exp?: string): Promise<ApiClient> {
    const answer = await this.as(null).post('/authenticate', { email, password, ...(exp === undefined ? {} : { exp }) });
    if (answer.status !== 200) throw new Error(`signing in as ${email} was answered ${String(answer.status)} ${answer.text}`);
    return this.as(answer.text);
  }
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
