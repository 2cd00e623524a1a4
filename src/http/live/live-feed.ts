import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import type { LogEvent } from '../../kernel/event.ts';
import { LOG, type Log } from '../../log/log.ts';
import { HistoryReading } from '../history/history-reading.ts';
import { commentFrame, eventFrame, liveTypes, openingFrame } from './frames.ts';
import type { Frame, LiveClient } from './live-client.ts';

const COMMENT_MS = 15_000;
const PAGE = 200;

interface Following {
  readonly aborted: AbortController;
  readonly head: Promise<number>;
  running: boolean;
}

/** One follower of the log a process, as long as somebody listens; what it finds goes to all who listen to that project. */
@Injectable()
export class LiveFeed implements BeforeApplicationShutdown {
  private readonly logger = new Logger('live');
  private readonly types = new Set(liveTypes);
  private readonly byScope = new Map<string, Set<LiveClient>>();
  private following: Following | null = null;

  constructor(
    @Inject(LOG) private readonly log: Log,
    @Inject(HistoryReading) private readonly history: HistoryReading,
  ) {}

  scopes(): readonly string[] {
    return [...this.byScope.keys()];
  }

  listeners(scope: string): readonly LiveClient[] {
    return [...(this.byScope.get(scope) ?? [])];
  }

  /** `after`: the place of the last event that the client has seen; null: it begins now. */
  async join(client: LiveClient, after: number | null): Promise<void> {
    this.seat(client);
    await this.follow();
    client.write(openingFrame);
    if (after !== null) await this.replay(client, after);
    client.caughtUp();
  }

  beforeApplicationShutdown(): void {
    for (const scope of this.scopes()) for (const client of this.listeners(scope)) client.end();
    this.following?.aborted.abort();
  }

  private seat(client: LiveClient): void {
    const seated = this.byScope.get(client.scope) ?? new Set();
    this.byScope.set(client.scope, seated.add(client));
    const comments = setInterval(() => {
      client.mention(commentFrame);
    }, COMMENT_MS);
    client.onEnd(() => {
      clearInterval(comments);
      seated.delete(client);
      if (seated.size === 0 && this.byScope.get(client.scope) === seated) this.byScope.delete(client.scope);
      if (this.byScope.size > 0) return;
      this.following?.aborted.abort();
      this.following = null;
    });
  }

  /** A page at a time, and only as fast as it is read. */
  private async replay(client: LiveClient, after: number): Promise<void> {
    for (let place = after; !client.over;) {
      const events = await this.history.after(client.scope, place, liveTypes, PAGE);
      for (const frame of await this.frames(events)) if (!client.replay(frame)) await client.drained();
      const last = events.at(-1);
      if (last === undefined || events.length < PAGE) return;
      place = last.n;
    }
  }

  /** Whoever joins waits until it is sure from where the log is followed: what came before that is read, what comes after is heard. */
  private async follow(): Promise<void> {
    if (this.following === null) {
      const aborted = new AbortController();
      this.following = { aborted, head: this.log.head(), running: false };
    }
    const { following } = this;
    try {
      const head = await following.head;
      if (following.running) return;
      following.running = true;
      void this.run(head, following);
    } catch (error) {
      if (this.following === following) this.following = null;
      throw error;
    }
  }

  private async run(head: number, following: Following): Promise<void> {
    try {
      for await (const batch of this.log.follow(head, following.aborted.signal)) await this.tell(batch);
    } catch (error) {
      this.logger.error(`the log cannot be followed: ${String(error)}`);
    }
    if (this.following !== following) return;
    this.following = null;
    // They come again, and go on where they were.
    for (const scope of this.scopes()) for (const client of this.listeners(scope)) client.end();
  }

  private async tell(batch: readonly LogEvent[]): Promise<void> {
    const events = batch.filter(({ type, scope }) => this.types.has(type) && this.byScope.has(scope));
    if (events.length === 0) return;
    const frames = await this.frames(events);
    events.forEach(({ scope }, index) => {
      const frame = frames[index];
      if (frame !== undefined) for (const client of this.byScope.get(scope) ?? []) client.push(frame);
    });
  }

  private async frames(events: readonly LogEvent[]): Promise<readonly Frame[]> {
    if (events.length === 0) return [];
    const presented = await this.history.presented(events);
    return presented.map((event) => ({ n: Number(event.position), text: eventFrame(event) }));
  }
}
