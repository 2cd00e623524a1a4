import { Readable } from 'node:stream';

/** What may wait for a slow reader. Whoever is slower is cut off, and goes on where it was by `Last-Event-ID`. */
const MOST_WAITING = 256 * 1024;

export interface Frame {
  /** The place in the log. */
  readonly n: number;
  readonly text: string;
}

/** One open stream: what it missed first, then what happens, each event once and in order. */
export class LiveClient {
  readonly out = new Readable({ read: () => undefined });
  private readonly ends: (() => void)[] = [];
  /** What happened while it is still told what it missed. */
  private held: Frame[] | null = [];
  private heldBytes = 0;
  private told = -1;
  private isOver = false;

  constructor(readonly scope: string) {
    this.out.once('close', () => {
      this.end();
    });
    this.out.on('error', () => {
      this.end();
    });
  }

  get over(): boolean {
    return this.isOver;
  }

  onEnd(ended: () => void): void {
    if (this.isOver) ended();
    else this.ends.push(ended);
  }

  /** An event that was just recorded. */
  push(frame: Frame): void {
    if (this.held === null) this.tell(frame);
    else if ((this.heldBytes += frame.text.length) > MOST_WAITING) this.end();
    else this.held.push(frame);
  }

  /** Of what it missed; false: it has to be waited for before there is more. */
  replay(frame: Frame): boolean {
    this.tell(frame);
    return this.waiting() < MOST_WAITING / 2;
  }

  /** It missed nothing more: from here on it hears what happens. */
  caughtUp(): void {
    const held = this.held ?? [];
    this.held = null;
    for (const frame of held) this.tell(frame);
  }

  /** What has no place: results and comments. Left out while others wait in front of it. */
  mention(text: string): void {
    if (this.held === null && this.waiting() < MOST_WAITING / 2) this.write(text);
  }

  /** Resolves when what was written has gone out, or the client has. */
  async drained(): Promise<void> {
    while (!this.isOver && this.waiting() > 0)
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
  }

  write(text: string): void {
    if (this.isOver) return;
    this.out.push(text);
    if (this.waiting() > MOST_WAITING) this.end();
  }

  /** Whoever has read all so far sees an end; whoever has not is cut off. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.held = null;
    if (this.waiting() === 0) this.out.push(null);
    else this.out.destroy();
    for (const ended of this.ends.splice(0)) ended();
  }

  private tell({ n, text }: Frame): void {
    if (n <= this.told) return;
    this.told = n;
    this.write(text);
  }

  private waiting(): number {
    return this.out.readableLength;
  }
}
