import { get, type IncomingMessage } from 'node:http';
import type { Json } from './api-client.ts';
import { until } from './until.ts';

export interface StreamedEvent {
  readonly id: string | null;
  readonly type: string;
  readonly data: Json;
}

/** A client of server-sent events as simple as they come. */
export class EventStream {
  readonly events: StreamedEvent[] = [];
  status = 0;
  ended = false;
  private comments = 0;
  private rest = '';

  private constructor(private readonly response: IncomingMessage) {
    this.status = response.statusCode ?? 0;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      this.take(chunk);
    });
    for (const end of ['end', 'close', 'error']) response.on(end, () => (this.ended = true));
  }

  static open(url: string, token: string | null, headers: Readonly<Record<string, string>> = {}): Promise<EventStream> {
    return new Promise((resolve, reject) => {
      const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
      get(url, { agent: false, headers: { accept: 'text/event-stream', ...authorization, ...headers } }, (response) => {
        resolve(new EventStream(response));
      }).once('error', reject);
    });
  }

  get contentType(): string {
    return this.response.headers['content-type'] ?? '';
  }

  ids(): readonly string[] {
    return this.events.flatMap(({ id }) => (id === null ? [] : [id]));
  }

  types(): readonly string[] {
    return this.events.map(({ type }) => type);
  }

  async heard(type: string, milliseconds = 10_000): Promise<StreamedEvent> {
    await until(async () => Promise.resolve(this.types().includes(type)), milliseconds, `hearing ${type} after ${this.types().join(', ')}`);
    const found = this.events.find((event) => event.type === type);
    if (found === undefined) throw new Error('the event disappeared');
    return found;
  }

  commented(milliseconds: number): Promise<void> {
    return until(async () => Promise.resolve(this.comments > 0), milliseconds, 'a comment');
  }

  cutOff(milliseconds: number): Promise<void> {
    return until(async () => Promise.resolve(this.ended), milliseconds, 'the end of the stream');
  }

  close(): void {
    this.response.destroy();
  }

  private take(chunk: string): void {
    const blocks = (this.rest + chunk).split('\n\n');
    this.rest = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) this.comments++;
      const fields = new Map(
        block
          .split('\n')
          .filter((line) => !line.startsWith(':'))
          .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      const data = fields.get('data');
      if (data !== undefined)
        this.events.push({ id: fields.get('id') ?? null, type: fields.get('event') ?? 'message', data: JSON.parse(data) });
    }
  }
}
