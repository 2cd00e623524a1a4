import { Readable } from 'node:stream';

/** Backpressure: bytes buffered for a slow client. Beyond it the client is disconnected; it resumes by `Last-Event-ID`. */
const MAX_BUFFERED = 256 * 1024;

export interface SseFrame {
  /** The log position. */
  readonly n: number;
  readonly text: string;
}

/** One open stream of server-sent events: the missed events first, then new ones, each once and in order. */
export class LiveClient {
  readonly out = new Readable({ read: () => undefined });
  private readonly closeListeners: (() => void)[] = [];
  /** New events during the replay of missed ones; null once it is complete. */
  private held: SseFrame[] | null = [];
  private heldBytes = 0;
  private lastSent = -1;
  private closed = false;

  constructor(readonly scope: string) {
    this.out.once('close', () => {
      this.close();
    });
    this.out.on('error', () => {
      this.close();
    });
  }

  get isClosed(): boolean {
    return this.closed;
  }

  onClose(listener: () => void): void {
    if (this.closed) listener();
    else this.closeListeners.push(listener);
  }

  /** Sends a new event. */
  push(frame: SseFrame): void {
    if (this.held === null) this.send(frame);
    else if ((this.heldBytes += frame.text.length) > MAX_BUFFERED) this.close();
    else this.held.push(frame);
  }

  /** Sends a missed event. False: wait for `drained` before the next one. */
  replay(frame: SseFrame): boolean {
    this.send(frame);
    return this.out.readableLength < MAX_BUFFERED / 2;
  }

  /** Ends the replay: sends the events that were held back, in order. */
  caughtUp(): void {
    const held = this.held ?? [];
    this.held = null;
    for (const frame of held) this.send(frame);
  }

  /** Sends a frame without a log position (results, comments), or drops it while the client reads slowly. */
  offer(text: string): void {
    if (this.held === null && this.out.readableLength < MAX_BUFFERED / 2) this.write(text);
  }

  /** Resolves when the buffer is empty or the client is disconnected. */
  async drained(): Promise<void> {
    while (!this.closed && this.out.readableLength > 0)
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
  }

  write(text: string): void {
    if (this.closed) return;
    this.out.push(text);
    if (this.out.readableLength > MAX_BUFFERED) this.close();
  }

  /** Ends the stream regularly when the client has read everything, else destroys it. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.held = null;
    if (this.out.readableLength === 0) this.out.push(null);
    else this.out.destroy();
    for (const listener of this.closeListeners.splice(0)) listener();
  }

  private send({ n, text }: SseFrame): void {
    if (n <= this.lastSent) return;
    this.lastSent = n;
    this.write(text);
  }
}
