import { Agent, request } from 'node:http';
import type { SeenAnswer } from '../support/description.ts';

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const LONGEST_MS = 60_000;
/** As long as a client listens to what has no end. */
const LISTENS_MS = 300;
const ENDLESS = /\/live(\?|$)|[?&](keep-alive|continue)=/;

/** A client that writes what it is told, whether that is wise or not. Answers null where nothing came and nothing had to. */
export class Sender {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(private readonly url: string) {}

  send({ method, path, headers, body }: Sent): Promise<SeenAnswer | null> {
    const endless = ENDLESS.test(path);
    return new Promise((resolve, reject) => {
      const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const options = { method, path: `/api${path}`, headers: { ...headers, ...length } };
      const asked = request(`${this.url}/`, { ...options, agent: endless ? false : this.agent }, (answer) => {
        const chunks: Buffer[] = [];
        const seen = (): SeenAnswer => ({
          status: answer.statusCode ?? 0,
          type: answer.headers['content-type'] ?? '',
          text: whole(Buffer.concat(chunks).toString(), endless),
        });
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('end', () => resolve(seen()));
        answer.once('error', (error) => (endless ? resolve(seen()) : reject(error)));
        if (!endless) return;
        setTimeout(() => {
          resolve(seen());
          asked.destroy();
        }, LISTENS_MS).unref();
      });
      asked.setTimeout(endless ? 3_000 : LONGEST_MS, () => {
        if (endless) resolve(null);
        asked.destroy(new Error(`no answer within ${String(LONGEST_MS)} ms`));
      });
      asked.once('error', reject);
      asked.end(body ?? undefined);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Whoever hangs up has half a line in hand. */
const whole = (text: string, cut: boolean): string =>
  cut && text.includes('\n') && !text.endsWith('}') ? text.slice(0, text.lastIndexOf('\n')) : text;
