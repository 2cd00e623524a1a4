import { createHash, randomBytes } from 'node:crypto';
import type pg from 'pg';
import { ApiClient, type Answer } from './api-client.ts';

/** What a page of the console sends beside its cookie. */
export const OWN_PAGE = { 'watchledger-console': '1', 'sec-fetch-site': 'same-origin' } as const;

/** A browser in which the console is open: it keeps the session cookie, and sends what a page of the console sends. */
export class ConsoleClient {
  private constructor(
    private readonly base: string,
    /** Name and value. */
    public cookie: string | null,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  static at(base: string, headers: Readonly<Record<string, string>> = OWN_PAGE): ConsoleClient {
    return new ConsoleClient(base, null, headers);
  }

  /** Another browser with a copy of the cookie. */
  copy(base = this.base, headers = this.headers): ConsoleClient {
    return new ConsoleClient(base, this.cookie, headers);
  }

  get = (path: string): Promise<Answer> => this.send('GET', path);
  post = (path: string, body?: unknown): Promise<Answer> => this.send('POST', path, body);
  put = (path: string, body?: unknown): Promise<Answer> => this.send('PUT', path, body);
  delete = (path: string, body?: unknown): Promise<Answer> => this.send('DELETE', path, body);

  async signIn(email: string, password: string): Promise<this> {
    const { status, text } = await this.post('/session', { email, password });
    if (status !== 200) throw new Error(`signing in to the console was answered ${String(status)} ${text}`);
    return this;
  }

  async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const cookie: Record<string, string> = this.cookie === null ? {} : { cookie: this.cookie };
    const answer = await new ApiClient(this.base).with({ ...this.headers, ...cookie }).send(method, path, body);
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      this.cookie = /; Max-Age=0(;|$)/.test(line) ? null : pair;
    }
    return answer;
  }
}

/** The token of a link as `watchledger accounts link` prints it, which alone knows it: so this one is written beside it. */
export async function signInLink(pool: pg.Pool, userId: number, { purpose = 'sign-in', hours = 24 } = {}): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await pool.query(`INSERT INTO links (hash, user_id, purpose, expires_at) VALUES ($1, $2, $3, now() + make_interval(hours => $4))`, [
    createHash('sha256').update(token).digest('hex'),
    userId,
    purpose,
    hours,
  ]);
  return token;
}
