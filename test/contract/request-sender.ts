import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { SeenAnswer } from '../support/description.ts';

export interface SeenWithHeaders extends SeenAnswer {
  readonly headers: IncomingHttpHeaders;
}

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

const LONGEST_MS = 60_000;
/** How long a client reads an endless stream. */
const LISTENS_MS = 300;
/** As long as it waits for one that is answered when a job has ended. */
const WAITS_MS = 3_000;
/** A longer body may be refused before it is complete, and the connection closed. */
const MOST = 16 * 1024;
const ENDLESS = /\/live\/?(\?|$)|[?&](keep-alive|continue)=/;

/** A client that sends requests unchecked. Returns null when no answer was due. */
export class RequestSender {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 16 });

  constructor(private readonly url: string) {}

  send({ method, path, headers, body }: Sent): Promise<SeenWithHeaders | null> {
    const endless = ENDLESS.test(path);
    const length = body === null ? 0 : Buffer.byteLength(body);
    const options = {
      method,
      path: `/api${path}`,
      headers: { ...headers, ...(body === null ? {} : { 'content-length': String(length) }) },
    };
    return new Promise((resolve, reject) => {
      const asked = request(`${this.url}/`, { ...options, agent: endless ? false : this.agent }, (answer) => {
        const type = answer.headers['content-type'] ?? '';
        const chunks: Buffer[] = [];
        const seen = (cut: boolean): SeenWithHeaders => {
          const text = Buffer.concat(chunks).toString();
          return {
            status: answer.statusCode ?? 0,
            type,
            headers: answer.headers,
            text: cut ? text.slice(0, text.lastIndexOf('\n') + 1) : text,
          };
        };
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('end', () => resolve(seen(false)));
        answer.once('error', reject);
        // A client that hangs up may have half a line.
        const hangUp = (): void => {
          resolve(seen(true));
          asked.destroy();
        };
        if (/event-stream|ndjson/.test(type) && endless) setTimeout(hangUp, LISTENS_MS).unref();
      });
      asked.setTimeout(endless ? WAITS_MS : LONGEST_MS, () => {
        if (endless) resolve(null);
        asked.destroy(new Error(`no answer within ${String(LONGEST_MS)} ms`));
      });
      asked.once('error', (error) => (length > MOST ? resolve(null) : reject(error)));
      asked.end(body ?? undefined);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}
