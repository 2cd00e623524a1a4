import { ApiError, NoAnswer } from './api-error.ts';
import { mayRepeat, type ClientRequest, type Transport } from './transport.ts';
import type { Schemas } from './types.ts';
import { Deadline, delayOf, pauseFor } from './waiting.ts';

export interface SseMessage {
  readonly type: string;
  readonly data: string;
}

/** Server-sent events (HTML standard, 9.2.6), from text in any pieces. */
export class SseParser {
  /** The id of the last message that had one. */
  lastEventId: string | undefined;
  /** Milliseconds to wait before a reconnect, as the server asked. */
  retryMs: number | undefined;
  #rest = '';
  #type = '';
  #id: string | undefined;
  #data: string[] = [];

  constructor(lastEventId: string | undefined) {
    this.lastEventId = lastEventId;
    this.#id = lastEventId;
  }

  /** The messages that the piece completes. */
  *take(piece: string): Generator<SseMessage, void> {
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line !== '') {
        this.#field(line);
        continue;
      }
      const [type, data] = [this.#type === '' ? 'message' : this.#type, this.#data];
      [this.#type, this.#data] = ['', []];
      if (data.length > 0) yield { type, data: data.join('\n') };
      // Only now has the caller finished with the message: one that stops earlier resumes before it.
      this.lastEventId = this.#id;
    }
  }

  /** What was not completed is dropped: it comes again after a reconnect. */
  reset(): void {
    [this.#rest, this.#type, this.#data, this.#id] = ['', '', [], this.lastEventId];
  }

  #field(line: string): void {
    const at = line.indexOf(':');
    const name = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
    if (name === 'event') this.#type = value;
    else if (name === 'data') this.#data.push(value);
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) this.retryMs = Number(value);
  }
}

/** A change of state, or the result of a run, which has no id. */
export type LiveMessage =
  | { readonly type: 'event'; readonly event: Schemas['Event'] }
  | { readonly type: 'result'; readonly result: Schemas['LiveResult'] };

export interface LiveOptions {
  /** Resume after the event with this id. */
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
  /** Results of runs are not repeated after a reconnect: read what is shown again when the state is `open` again. */
  readonly onConnection?: (state: 'open' | 'lost') => void;
}

/** The service sends a comment every 15 s: a connection that is silent for longer is dead. */
const SILENT_MS = 40_000;
/** Until the head of the answer. */
const CONNECT_MS = 30_000;

/** The live stream of a project. It reconnects, and resumes after the last event, so that no event is left out. */
export class LiveStream implements AsyncIterable<LiveMessage> {
  readonly #parser: SseParser;

  constructor(
    private readonly transport: Transport,
    private readonly path: string,
    private readonly options: LiveOptions,
  ) {
    this.#parser = new SseParser(options.lastEventId);
  }

  /** The last event that the caller has finished with. */
  get lastEventId(): string | undefined {
    return this.#parser.lastEventId;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveMessage, void> {
    const { signal, onConnection } = this.options;
    for (let attempt = 0; ; attempt++) {
      const deadline = new Deadline(signal, CONNECT_MS);
      let least: number | null = null;
      try {
        const opened = await this.#open(deadline).catch((error: unknown) => this.#lossOf(error, deadline));
        if (opened instanceof ReadableStream) {
          attempt = 0;
          onConnection?.('open');
          yield* this.#messages(opened, deadline);
          onConnection?.('lost');
          least = this.#parser.retryMs ?? null;
        } else {
          least = opened.retryAfterMs;
        }
      } finally {
        deadline.end();
      }
      this.#parser.reset();
      await pauseFor(delayOf(attempt, least), signal);
    }
  }

  /** Throws what another attempt would not change. */
  #lossOf(error: unknown, { isOver }: Deadline): { readonly retryAfterMs: number | null } {
    this.options.signal?.throwIfAborted();
    const cause = error instanceof ApiError ? error : new NoAnswer(`GET ${this.path}`, isOver ? 'timeout' : 'network', error);
    if (!mayRepeat(cause, 'always')) throw cause;
    return { retryAfterMs: cause instanceof ApiError && cause.retryAfter !== null ? cause.retryAfter * 1000 : null };
  }

  async #open(deadline: Deadline): Promise<ReadableStream<Uint8Array>> {
    const { lastEventId } = this.#parser;
    const headers = { accept: 'text/event-stream', ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
    const request: ClientRequest = { method: 'GET', path: this.path, headers, repeatable: 'always' };
    const { body } = await this.transport.open(request, deadline);
    if (body === null) throw new TypeError('the answer has no body');
    return body;
  }

  async *#messages(body: ReadableStream<Uint8Array>, deadline: Deadline): AsyncGenerator<LiveMessage, void> {
    const decoder = new TextDecoder();
    const reader = body.getReader();
    for (;;) {
      deadline.restart(SILENT_MS);
      // A connection that breaks ends like one that is closed.
      const piece = await reader.read().catch(() => null);
      deadline.stop();
      this.options.signal?.throwIfAborted();
      if (piece === null || piece.done) return;
      for (const { type, data } of this.#parser.take(decoder.decode(piece.value, { stream: true }))) {
        // Casts: the description states both shapes.
        if (type === 'result') yield { type, result: JSON.parse(data) as Schemas['LiveResult'] };
        else yield { type: 'event', event: JSON.parse(data) as Schemas['Event'] };
      }
    }
  }
}
