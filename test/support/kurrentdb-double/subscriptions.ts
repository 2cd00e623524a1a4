import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { status, type ServerWritableStream } from '@grpc/grpc-js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { DoubleLog } from './double-log.ts';
import type { Faults } from './faults.ts';
import { caughtUp, checkpoint, confirmation, recorded } from './messages.ts';

type Call = ServerWritableStream<ReadReq, ReadResp>;

interface Running {
  readonly call: Call;
  readonly over: AbortController;
  silent: boolean;
}

/** A checkpoint per this many scanned events, times the interval that the client asks for. */
const SEARCH_WINDOW = 32;
/** How the server represents -1: in a checkpoint the start of the log, in a request its end. */
const BEFORE_EVERYTHING = (1n << 64n) - 1n;

/** Subscriptions to the whole log, strictly after a position, filtered by event type. */
export class Subscriptions {
  private readonly running = new Set<Running>();

  constructor(
    private readonly log: () => DoubleLog,
    private readonly faults: Faults,
  ) {}

  get count(): number {
    return this.running.size;
  }

  /** From now on those that are open bring nothing more, without a word. New ones do. */
  silence(): void {
    for (const subscription of this.running) subscription.silent = true;
  }

  /** Drops live subscribers under bursts, as older servers do. */
  drop(): void {
    for (const { call } of this.running)
      call.emit('error', { code: status.ABORTED, details: 'Operation timed out: Consumer too slow to handle event while live.' });
  }

  async serve(call: Call, options: ReadReq.Options): Promise<void> {
    const subscription: Running = { call, over: new AbortController(), silent: false };
    this.running.add(subscription);
    for (const end of ['cancelled', 'close', 'error', 'finish']) {
      call.on(end, () => {
        subscription.over.abort();
        this.running.delete(subscription);
      });
    }
    await this.send(subscription, confirmation(randomUUID()));
    await this.pump(subscription, options);
  }

  private async pump(subscription: Running, options: ReadReq.Options): Promise<void> {
    const { signal } = subscription.over;
    const filter = options.getFilter();
    const wanted = new RegExp(filter?.getEventType()?.getRegex() ?? '');
    const window = SEARCH_WINDOW * (filter?.getCheckpointintervalmultiplier() ?? 1);
    let next = this.startOf(options);
    let live = false;
    let reached = next === 0 ? BEFORE_EVERYTHING : null;
    for (let looked = 1; !signal.aborted; looked += 1) {
      const record = this.log().records[next];
      if (record === undefined) {
        if (!live && reached !== null) await this.send(subscription, checkpoint(reached));
        if (!live) await this.send(subscription, caughtUp());
        live = true;
        looked -= 1;
        await this.log().grown(signal);
        continue;
      }
      next += 1;
      if (wanted.test(record.type)) await this.send(subscription, recorded(record));
      if (wanted.test(record.type) || looked % window === 0) reached = record.position;
      if (looked % window === 0) await this.send(subscription, checkpoint(record.position));
    }
  }

  private startOf(options: ReadReq.Options): number {
    const from = options.getAll();
    const { records } = this.log();
    if (from?.hasPosition() !== true) return from?.hasEnd() === true ? records.length : 0;
    const position = BigInt(from.getPosition()?.getCommitPosition() ?? 0);
    if (position === BEFORE_EVERYTHING) return records.length;
    const after = records.findIndex((record) => record.position > position);
    return after < 0 ? records.length : after;
  }

  private async send(subscription: Running, response: ReadResp): Promise<void> {
    const { call, over } = subscription;
    if (this.faults.slowMs > 0) await delay(this.faults.slowMs);
    if (subscription.silent || over.signal.aborted) return;
    if (call.write(response)) return;
    await once(call, 'drain', { signal: over.signal }).catch(() => undefined);
  }
}
