import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseClient } from './database-client.ts';
import { connectionSettings } from './connection-settings.ts';
import type { ConnectionWatch } from './connection-watch.ts';
import { type Bell, LocalWake, type Wake } from './wake.ts';
import { WatchedClient } from './watched-client.ts';
import type pg from 'pg';

const QUESTION = 'who listens?';
const ANSWER = 'another process listens';

interface ListenerTiming {
  /** Others that were not heard for so long are asked. */
  readonly askAfterMs: number;
  /** Longer than a busy process takes to answer. */
  readonly answerMs: number;
}

/** What a notification of another process asks for. */
interface Heard {
  /** The payload to send back; null for none. */
  readonly answer: string | null;
  /** It answers the question that was asked when the connection was established. */
  readonly isAnswer: boolean;
  /** The topic that rang; null for none. */
  readonly topic: string | null;
}

/**
 * Whether another process listens to the channel: each asks when it connects, and from time to time while it hears nothing. A listener is alone once its
 * question had no answer, until it hears another. One that is asked sends from that moment on; the process that asked rings once more for what came before.
 */
export class OtherListeners {
  private heardAt = -Infinity;
  private askedAt: number | null = null;
  private isNew = true;

  constructor(
    private readonly timing: ListenerTiming = { askAfterMs: 60_000, answerMs: 10_000 },
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The question to send on a new connection, before which nothing was heard. */
  connected(): string {
    this.heardAt = -Infinity;
    this.isNew = true;
    this.askedAt = this.now();
    return QUESTION;
  }

  heard(payload: string): Heard {
    this.heardAt = this.now();
    this.askedAt = null;
    if (payload === QUESTION) return { answer: ANSWER, isAnswer: false, topic: null };
    if (payload !== ANSWER) return { answer: null, isAnswer: false, topic: payload };
    return { answer: null, isAnswer: this.isNew, topic: null };
  }

  isAlone(): boolean {
    const isUnanswered = this.askedAt !== null && this.now() - this.askedAt > this.timing.answerMs;
    if (isUnanswered) this.isNew = false;
    return isUnanswered;
  }

  /** The question to send with a ring, where others were not heard for long; null for none. */
  question(): string | null {
    if (this.askedAt !== null || this.now() - this.heardAt < this.timing.askAfterMs) return null;
    this.askedAt = this.now();
    return QUESTION;
  }
}

/** A team's SQL does not know the name, so that it cannot ring. */
const CHANNEL = 'SELECT name FROM wake_channel';
const RECONNECT_MS = 250;
/** Rings within this time are sent as one statement; listeners in the process do not wait for it. */
const COALESCE_MS = 2;
/** Longer than a connection takes to be established; the end of a process waits no longer for a database that is away. */
const LAST_RING_MS = 500;

/**
 * LISTEN/NOTIFY over one connection per process. What rings while it is down is sent when it is back, and its own listeners all ring then; only a crash
 * between a commit and its ring loses one, which is why listeners also poll. While no other process listens, nothing is sent.
 */
export class PostgresWake implements Wake {
  private readonly local = new LocalWake();
  private readonly others: OtherListeners;
  private readonly pending = new Set<string>();
  private readonly closing = new AbortController();
  private client: pg.Client | undefined;
  private sending: Promise<void> | undefined;
  private readonly running: Promise<void>;

  constructor(
    private readonly url: string,
    private readonly watch?: ConnectionWatch,
    timing?: ConstructorParameters<typeof OtherListeners>[0],
  ) {
    this.others = new OtherListeners(timing);
    this.running = this.run();
  }

  ring(topic: string): void {
    this.local.ring(topic);
    if (this.others.isAlone()) return;
    const question = this.others.question();
    if (question !== null) this.pending.add(question);
    this.pending.add(topic);
    this.sendPending();
  }

  private onHeard({ answer, isAnswer, topic }: Heard): void {
    // What rang before the answer was not sent.
    if (isAnswer) this.local.ringAll();
    if (topic !== null) this.local.ring(topic);
    if (answer === null) return;
    this.pending.add(answer);
    this.sendPending();
  }

  private sendPending(): void {
    this.sending ??= this.send().finally(() => (this.sending = undefined));
  }

  bell(topic: string): Bell {
    return this.local.bell(topic);
  }

  async close(): Promise<void> {
    // A command ends right after its append: the service would find that with its next poll.
    await Promise.race([this.sent(), sleep(LAST_RING_MS, undefined, { ref: false })]);
    this.closing.abort();
    await this.client?.end().catch(() => undefined);
    await Promise.all([this.running, this.sending]);
    await this.local.close();
  }

  private async sent(): Promise<void> {
    while (this.pending.size > 0 && !this.closing.signal.aborted) await (this.sending ?? sleep(COALESCE_MS));
    await this.sending;
  }

  private async send(): Promise<void> {
    while (this.pending.size > 0 && !this.closing.signal.aborted) {
      await sleep(COALESCE_MS);
      const { client } = this;
      if (client === undefined) return;
      const topics = [...this.pending];
      this.pending.clear();
      const query = {
        name: 'wake',
        text: `SELECT pg_notify(name, topic) FROM wake_channel, unnest($1::text[]) AS topic`,
        values: [topics],
      };
      try {
        await client.query(query);
      } catch {
        // Sent with the next ring or after the next connect.
        for (const topic of topics) this.pending.add(topic);
        return;
      }
    }
  }

  private async run(): Promise<void> {
    while (!this.closing.signal.aborted) {
      await this.listen().catch(() => undefined);
      this.client = undefined;
      await sleep(RECONNECT_MS, undefined, { signal: this.closing.signal }).catch(() => undefined);
    }
  }

  private async listen(): Promise<void> {
    // NOTIFY writes a commit record, which need not be flushed to disk.
    const settings = connectionSettings(this.url, { name: 'wake', synchronousCommit: false });
    const client = this.watch === undefined ? new DatabaseClient(settings) : new WatchedClient({ ...settings, watch: this.watch });
    const ended = new Promise<void>((resolve) => {
      client.once('end', resolve);
      client.once('error', () => {
        resolve();
      });
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const own = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid;
      client.on('notification', ({ processId, payload }) => {
        if (processId !== own && payload !== undefined) this.onHeard(this.others.heard(payload));
      });
      const channel = (await client.query<{ name: string }>(CHANNEL)).rows[0]?.name ?? 'watchledger';
      await client.query(`LISTEN ${channel}`);
      this.client = client;
      // Rings of others during the outage are unknown.
      this.local.ringAll();
      this.pending.add(this.others.connected());
      this.sendPending();
      if (!this.closing.signal.aborted) await ended;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
