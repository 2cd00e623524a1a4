import { setTimeout as sleep } from 'node:timers/promises';

export const ADMIN = { email: 'admin@example.test', password: 'correct horse battery staple' } as const;
/** How long a fault may keep a client waiting, the machine being busy. */
const PATIENCE_MS = 240_000;
const ANSWER_MS = 15_000;

export type Body = Readonly<Record<string, unknown>>;

/** A client that does not give up: what it does not know to have happened it asks for again, under the same key. */
export class StubbornClient {
  private token = '';

  constructor(private readonly address: () => string) {}

  async get(path: string): Promise<Body> {
    return this.ask('GET', path);
  }

  async write(method: 'POST' | 'PUT', path: string, body: Body, key: string): Promise<Body> {
    return this.ask(method, path, body, key);
  }

  private async ask(method: string, path: string, body?: Body, key?: string): Promise<Body> {
    const deadline = performance.now() + PATIENCE_MS;
    let last = '';
    while (performance.now() < deadline) {
      const answer = await this.once(method, path, body, key);
      if (answer?.status === 200) return JSON.parse(answer.text) as Body;
      // Tokens end when somebody sets the clock; what is away or busy comes back.
      if (answer?.status === 401) await this.signIn();
      else if (answer !== null && ![409, 429, 500, 503].includes(answer.status))
        throw new Error(`${method} ${path} was answered ${String(answer.status)} ${answer.text}`);
      last = answer === null ? 'no answer' : `${String(answer.status)} ${answer.text}`;
      if (answer?.status !== 401) await sleep(100);
    }
    throw new Error(`${method} ${path} was not done in ${String(PATIENCE_MS / 1000)} s: ${last}`);
  }

  private async signIn(): Promise<void> {
    const answer = await this.once('POST', '/authenticate', { ...ADMIN, exp: '+1 week' });
    if (answer?.status === 200) this.token = answer.text;
    else await sleep(100);
  }

  private async once(method: string, path: string, body?: Body, key?: string): Promise<{ status: number; text: string } | null> {
    try {
      const response = await fetch(`${this.address()}/api${path}`, {
        method,
        signal: AbortSignal.timeout(ANSWER_MS),
        headers: {
          accept: 'text/plain, application/json',
          ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    } catch {
      return null;
    }
  }
}
