import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore, ExpectedRevision } from '../../src/platform/event-store/event-store.ts';
import { KurrentDbEventStore } from '../../src/platform/event-store/kurrentdb/kurrentdb-event-store.ts';
import { StoreUnavailable } from '../../src/kernel/errors.ts';
import type { NewEvent } from '../../src/kernel/event.ts';
import { eventId, randomId } from '../../src/kernel/ids.ts';
import { EventStoreCluster } from '../support/servers/event-store-cluster.ts';
import { type Place, sameAsFar, wholeStore } from './whole-store.ts';

const WAITS_MS = 120_000;

/**
 * A subscription of the mirror that prefers a follower, while followers are suspended, lag and die; and an append that only a lost leader had. It must
 * deliver exactly the committed events, in order.
 */
export async function readFollowers({ command, say }: { readonly command: string; readonly say: (line: string) => void }): Promise<void> {
  const cluster = await EventStoreCluster.open(command);
  const end = (): void => void cluster.close().finally(() => process.exit(1));
  process.once('SIGINT', end).once('SIGTERM', end);
  const writer = new Writer(new KurrentDbEventStore(cluster.url()));
  const reader = new Reader(new KurrentDbEventStore(cluster.url('follower')));
  try {
    writer.begin();
    for (const follower of await cluster.followers()) {
      await reader.reaches(writer.count + 20);
      follower.signal('SIGSTOP');
      await sleep(6_000);
      follower.signal('SIGCONT');
      await reader.reaches(writer.count);
      await cluster.strike(follower);
      await reader.reaches(writer.count);
      cluster.revive(follower);
      await cluster.settled();
    }
    await writer.end();
    await compared(cluster, reader, writer);
    say(
      `followers that lag and die: ${String(writer.count)} events, each once and in order, ${String(reader.interruptions)} interruptions`,
    );
    await neverAgreedOn(cluster, reader, writer);
    say('an append that only a lost leader had: not read by any follower, and stored once after its retry');
  } finally {
    await Promise.all([writer.close(), reader.close()]);
    await cluster.close();
  }
}

/** Only the leader has the event when it dies; the retry with the same ids is stored once. */
async function neverAgreedOn(cluster: EventStoreCluster, reader: Reader, writer: Writer): Promise<void> {
  const [leader, followers] = [await cluster.leader(), await cluster.followers()];
  const atLeader = new Reader(new KurrentDbEventStore(`esdb://${leader.address}?tls=false`));
  await atLeader.reaches(writer.count);
  for (const follower of followers) follower.signal('SIGSTOP');
  const alone = new KurrentDbEventStore(`esdb://${leader.address}?tls=false`, { attemptMs: 1_500, deadlineMs: 1_500 });
  const event = writer.next();
  const refused = await alone.append(event.stream, event.expected, [event.event]).then(
    () => false,
    (error: unknown) => error instanceof StoreUnavailable,
  );
  if (!refused) throw new Error('a leader without followers acknowledged an append');
  if (atLeader.seen.length !== writer.count) throw new Error('the leader served an event without a quorum');
  await Promise.all([alone.close(), atLeader.close()]);
  await cluster.strike(leader);
  for (const follower of followers) follower.signal('SIGCONT');
  await writer.write();
  cluster.revive(leader);
  await cluster.settled();
  await writer.write();
  await compared(cluster, reader, writer);
}

async function compared(cluster: EventStoreCluster, reader: Reader, writer: Writer): Promise<void> {
  await reader.reaches(writer.count);
  const held = await wholeStore(cluster.url());
  if (held.length !== writer.count || reader.seen.length !== writer.count)
    throw new Error(`${String(writer.count)} acknowledged, ${String(held.length)} in the cluster, ${String(reader.seen.length)} read`);
  sameAsFar(reader.seen, held, 'what a follower showed and the cluster');
}

class Reader {
  readonly seen: Place[] = [];
  private readonly over = new AbortController();
  private readonly reading: Promise<void>;
  private failure: Error | undefined;

  constructor(private readonly store: KurrentDbEventStore) {
    this.reading = this.read().catch((error: unknown) => {
      this.failure = error instanceof Error ? error : new Error('reading failed', { cause: error });
    });
  }

  get interruptions(): number {
    return this.store.counters.interruptions;
  }

  async reaches(count: number): Promise<void> {
    const deadline = performance.now() + WAITS_MS;
    while (this.seen.length < count) {
      if (this.failure !== undefined) throw this.failure;
      if (performance.now() > deadline)
        throw new Error(`${String(this.seen.length)} of ${String(count)} events were read; ${JSON.stringify(this.store.counters)}`);
      await sleep(10);
    }
  }

  async close(): Promise<void> {
    this.over.abort();
    await this.reading;
    await this.store.close();
  }

  private async read(): Promise<void> {
    for await (const batch of this.store.follow(null, this.over.signal))
      for (const { position, id, stream, revision } of batch) {
        // There is only one stream.
        if (revision !== this.seen.length)
          throw new Error(
            `after ${String(this.seen.length)} events came revision ${String(revision)}; ${JSON.stringify(this.store.counters)}`,
          );
        this.seen.push({ position, id, stream, revision });
      }
  }
}

interface Step {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly event: NewEvent;
}

/** Appends one event after another to one stream, each until it is acknowledged. */
class Writer {
  count = 0;
  private readonly stream = `engine-${randomId()}`;
  private readonly command = randomId();
  private running: Promise<void> | undefined;
  private wanted = true;

  constructor(private readonly store: EventStore & { close(): Promise<void> }) {}

  begin(): void {
    this.running = this.run();
    // Set by `end`.
    this.running.catch(() => undefined);
  }

  async end(): Promise<void> {
    this.wanted = false;
    await this.running;
  }

  async close(): Promise<void> {
    this.wanted = false;
    await this.running?.catch(() => undefined);
    await this.store.close();
  }

  /** The same until it is acknowledged. */
  next(): Step {
    const revision = this.count;
    const meta = { correlationId: this.command, causationId: null, commandId: this.command, occurredAt: '2026-11-21T00:00:00.000Z' };
    const id = eventId(this.command, this.stream, revision);
    const actor = { kind: 'cli', id: 'engine' } as const;
    const event = { id, type: 'SomethingHappened', version: 1, scope: 'system', data: { revision }, meta: { ...meta, actor } };
    return { stream: this.stream, expected: revision === 0 ? 'no stream' : revision - 1, event };
  }

  async write(): Promise<void> {
    const { stream, expected, event } = this.next();
    const deadline = performance.now() + WAITS_MS;
    for (;;) {
      try {
        const { kind } = await this.store.append(stream, expected, [event]);
        if (kind === 'conflict') throw new Error('unexpected conflict: the stream has one writer only');
        this.count += 1;
        return;
      } catch (error) {
        if (!(error instanceof StoreUnavailable) || performance.now() > deadline) throw error;
      }
    }
  }

  private async run(): Promise<void> {
    while (this.wanted) {
      await this.write();
      await sleep(5);
    }
  }
}
