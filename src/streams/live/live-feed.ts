import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type { LogEvent } from '../../kernel/event.ts';
import { Log } from '../../platform/log/log.ts';
import { HistoryReading } from '../../history/history-reading.ts';
import { eventFrame, liveTypes } from './frames.ts';
import { commentFrame, openingFrame } from '../../platform/http/presentation/answers.ts';
import type { SseFrame, LiveClient } from './live-client.ts';

const COMMENT_MS = 15_000;
const PAGE = 200;

interface Subscription {
  readonly aborted: AbortController;
  readonly head: Promise<number>;
  running: boolean;
}

/** One subscription to the log per process while clients are connected; sends events to the clients of their project. */
@Injectable()
export class LiveFeed implements BeforeApplicationShutdown {
  private readonly logger = new Logger('live');
  private readonly types = new Set(liveTypes);
  private readonly byScope = new Map<string, Set<LiveClient>>();
  private subscription: Subscription | null = null;
  private isStopping = false;

  constructor(
    private readonly log: Log,
    private readonly history: HistoryReading,
  ) {}

  scopes(): readonly string[] {
    return [...this.byScope.keys()];
  }

  clientsOf(scope: string): readonly LiveClient[] {
    return [...(this.byScope.get(scope) ?? [])];
  }

  /** `after`: the log position of the last event that the client received; null: new events only. */
  async join(client: LiveClient, after: number | null): Promise<void> {
    if (this.isStopping) {
      client.close();
      return;
    }
    this.add(client);
    await this.subscribe();
    client.write(openingFrame);
    if (after !== null) await this.replay(client, after);
    client.caughtUp();
  }

  beforeApplicationShutdown(): void {
    this.isStopping = true;
    for (const scope of this.scopes()) for (const client of this.clientsOf(scope)) client.close();
    this.subscription?.aborted.abort();
  }

  private add(client: LiveClient): void {
    const clients = this.byScope.get(client.scope) ?? new Set();
    this.byScope.set(client.scope, clients.add(client));
    const comments = setInterval(() => {
      client.offer(commentFrame);
    }, COMMENT_MS);
    client.onClose(() => {
      clearInterval(comments);
      clients.delete(client);
      if (clients.size === 0 && this.byScope.get(client.scope) === clients) this.byScope.delete(client.scope);
      if (this.byScope.size > 0) return;
      this.subscription?.aborted.abort();
      this.subscription = null;
    });
  }

  /** Page by page, only as fast as the client reads (backpressure). */
  private async replay(client: LiveClient, after: number): Promise<void> {
    for (let position = after; !client.isClosed;) {
      const events = await this.history.after(client.scope, position, liveTypes, PAGE);
      for (const frame of await this.frames(events)) if (!client.replay(frame)) await client.drained();
      const last = events.at(-1);
      if (last === undefined || events.length < PAGE) return;
      position = last.n;
    }
  }

  /** Resolves once the start of the subscription is known: earlier events are replayed, later ones are pushed. */
  private async subscribe(): Promise<void> {
    if (this.subscription === null) {
      const aborted = new AbortController();
      this.subscription = { aborted, head: this.log.head(), running: false };
    }
    const { subscription } = this;
    try {
      const head = await subscription.head;
      if (subscription.running) return;
      subscription.running = true;
      void this.run(head, subscription);
    } catch (error) {
      if (this.subscription === subscription) this.subscription = null;
      throw error;
    }
  }

  private async run(head: number, subscription: Subscription): Promise<void> {
    try {
      for await (const batch of this.log.follow(head, subscription.aborted.signal)) await this.push(batch);
    } catch (error) {
      this.logger.error({ msg: 'live subscription to the log failed', err: error });
    }
    if (this.subscription !== subscription) return;
    this.subscription = null;
    // The clients reconnect and resume by Last-Event-ID.
    for (const scope of this.scopes()) for (const client of this.clientsOf(scope)) client.close();
  }

  private async push(batch: readonly LogEvent[]): Promise<void> {
    const events = batch.filter(({ type, scope }) => this.types.has(type) && this.byScope.has(scope));
    if (events.length === 0) return;
    const frames = await this.frames(events);
    events.forEach(({ scope }, index) => {
      const frame = frames[index];
      if (frame !== undefined) for (const client of this.byScope.get(scope) ?? []) client.push(frame);
    });
  }

  private async frames(events: readonly LogEvent[]): Promise<readonly SseFrame[]> {
    if (events.length === 0) return [];
    const presented = await this.history.presented(events);
    return presented.map((event) => ({ n: Number(event.position), text: eventFrame(event) }));
  }
}
