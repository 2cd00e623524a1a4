import { setTimeout as sleep } from 'node:timers/promises';
import type { AcknowledgedWrites, ExpectedEvents } from './acknowledged-writes.ts';

export const ADMIN = { email: 'admin@example.test', password: 'correct horse battery staple' } as const;
/** How long a fault may keep a client waiting, the machine being busy. */
const PATIENCE_MS = 240_000;
const ANSWER_MS = 15_000;

export type Body = Readonly<Record<string, unknown>>;
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A client that retries a request with the same idempotency key until its outcome is known. */
export class RetryingClient {
  private token = '';

  constructor(
    private readonly address: () => string,
    private readonly deeds: AcknowledgedWrites,
    private readonly who: { readonly email: string; readonly password: string } = ADMIN,
  ) {}

  async get(path: string): Promise<Body> {
    return this.ask('GET', path, [200]).then(bodyOf);
  }

  /** `traces`: the events that must be in the log afterwards, exactly. */
  async write(method: Method, path: string, body: Body | undefined, key: string, traces: ExpectedEvents): Promise<Body> {
    const deed = this.deeds.asked(method, path, key, traces);
    const answer = await this.ask(method, path, [200], body, key);
    this.deeds.acknowledge(deed);
    return bodyOf(answer);
  }

  /** Repeats the request until it is answered with one of these statuses. */
  async ask(method: Method, path: string, wanted: readonly number[], body?: Body, key?: string): Promise<Answer> {
    const deadline = performance.now() + PATIENCE_MS;
    let last = '';
    while (performance.now() < deadline) {
      const answer = await this.once(method, path, body, key);
      if (answer !== null && wanted.includes(answer.status)) return answer;
      // Tokens expire when a clock is moved; unavailable and busy services recover.
      if (answer?.status === 401) await this.signIn();
      else if (answer !== null && ![409, 429, 500, 503].includes(answer.status))
        throw new Error(`${method} ${path} was answered ${String(answer.status)} ${answer.text}`);
      last = answer === null ? 'no answer' : `${String(answer.status)} ${answer.text}`;
      if (answer?.status !== 401) await sleep(100);
    }
    throw new Error(`${method} ${path} was not done in ${String(PATIENCE_MS / 1000)} s: ${last}`);
  }

  private async signIn(): Promise<void> {
    const answer = await this.once('POST', '/authenticate', { ...this.who, exp: '+1 week' });
    if (answer?.status === 200) this.token = answer.text;
    else await sleep(100);
  }

  private async once(method: Method, path: string, body?: Body, key?: string): Promise<Answer | null> {
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

const bodyOf = ({ text }: Answer): Body => JSON.parse(text) as Body;
