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
