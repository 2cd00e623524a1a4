import {
  Metadata,
  type sendUnaryData,
  type ServerReadableStream,
  type ServerWritableStream,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { AppendReq, AppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { setTimeout as delay } from 'node:timers/promises';
import type { DoubleLog, Proposed } from './double-log.ts';
import type { AppendFault, Faults } from './faults.ts';
import { appended, proposed, recorded, streamNotFound } from './messages.ts';
import { Subscriptions } from './subscriptions.ts';

const MAX_APPEND_BYTES = 1_048_576;

const BACKWARDS = streams.ReadReq.Options.ReadDirection.BACKWARDS;

const refusals = {
  'not ready': { code: status.UNAVAILABLE, details: 'Server Is Not Ready' },
  'unknown user': { code: status.UNAUTHENTICATED, details: 'Unauthenticated' },
} as const;

type Appending = ServerReadableStream<AppendReq, AppendResp>;
type Reading = ServerWritableStream<ReadReq, ReadResp>;

/** The calls of the streams service that the adapter uses. The others answer UNIMPLEMENTED, batch appends on purpose. */
export class StreamsService {
  readonly subscriptions: Subscriptions;
  /** How often the forbidden call was attempted. */
  batchAppends = 0;

  constructor(
    private readonly log: () => DoubleLog,
    private readonly faults: Faults,
  ) {
    this.subscriptions = new Subscriptions(log, faults);
  }

  handlers(): IStreamsServer {
    const unimplemented = { code: status.UNIMPLEMENTED, details: 'the double does not know this call' };
    return {
      append: (call: Appending, answer: sendUnaryData<AppendResp>) => {
        const requests: AppendReq[] = [];
        call.on('data', (request: AppendReq) => requests.push(request));
        call.on('error', () => undefined);
        call.on('end', () => void this.whole(call, requests, answer));
      },
      read: (call: Reading) => void this.read(call),
      delete: (_, answer) => {
        answer(unimplemented);
      },
      tombstone: (_, answer) => {
        answer(unimplemented);
      },
      batchAppend: (call) => {
        this.batchAppends += 1;
        call.emit('error', unimplemented);
      },
    };
  }

  /** A request that is cut off ends like a whole one; that it was is known a moment later. Half an append must never land. */
  private async whole(call: Appending, requests: readonly AppendReq[], answer: sendUnaryData<AppendResp>): Promise<void> {
    for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
    if (!call.cancelled) await this.append(requests, answer);
  }

  private async append([head, ...rest]: readonly AppendReq[], answer: sendUnaryData<AppendResp>): Promise<void> {
    const options = head?.getOptions();
    const stream = Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
    if (this.faults.refusal !== null) {
      answer(refusals[this.faults.refusal]);
      return;
    }
    // An append with revision `any` cannot be recognised as a retry after a restart: the double refuses it.
    if (options?.hasNoStream() !== true && options?.hasRevision() !== true) {
      answer({ code: status.INVALID_ARGUMENT, details: 'an explicit revision is needed' });
      return;
    }
    const events = rest.flatMap((request) => proposed(request.getProposedMessage() ?? missing()));
    if (events.reduce((sum, event) => sum + sizeOf(event), 0) > MAX_APPEND_BYTES) {
      answer(appendTooLarge());
      return;
    }
    const expected = options.hasNoStream() ? -1 : Number(options.getRevision());
    await this.carryOut(this.faults.appends.shift(), answer, () => appended(this.log().append(stream, expected, events), expected));
  }

  private async carryOut(fault: AppendFault | undefined, answer: sendUnaryData<AppendResp>, land: () => AppendResp): Promise<void> {
    const refusal = { code: status.UNAVAILABLE, details: 'read ECONNRESET' };
    if (fault === 'hang') return;
    if (fault === 'refuse') {
      answer(refusal);
      return;
    }
    if (typeof fault === 'object') await delay(fault.landLateMs);
    const response = land();
    if (fault === 'refuse after landing') answer(refusal);
    if (fault !== undefined) return;
    if (this.faults.slowMs > 0) await delay(this.faults.slowMs);
    answer(null, response);
  }

  private async read(call: Reading): Promise<void> {
    call.on('error', () => undefined);
    const options = call.request.getOptions();
    if (this.faults.refusal !== null) {
      call.emit('error', refusals[this.faults.refusal]);
      return;
    }
    if (this.faults.slowMs > 0) await delay(this.faults.slowMs);
    if (options?.hasSubscription() === true) {
      await this.subscriptions.serve(call, options);
      return;
    }
    await this.faults.beforeRead();
    const responses = options?.hasAll() === true ? this.readAll(options) : this.readStream(options ?? missing());
    if (responses === null) {
      call.emit('error', { code: status.UNKNOWN, details: 'Unexpected error: not a position of this log' });
      return;
    }
    for (const response of responses) if (!call.write(response)) await new Promise((resolve) => call.once('drain', resolve));
    call.end();
  }

  private readStream(options: ReadReq.Options): ReadResp[] {
    const from = options.getStream() ?? missing();
    const name = Buffer.from(from.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
    const stream = this.log().stream(name);
    if (stream.length === 0) return [streamNotFound(name)];
    const count = Number(options.getCount());
    const last = stream.length - 1;
    const first = from.hasEnd() ? last : from.hasStart() ? 0 : Number(from.getRevision());
    const backward = options.getReadDirection() === BACKWARDS;
    const start = Math.max(0, Math.min(first, last) - count + 1);
    const page = backward ? stream.slice(start, Math.min(first, last) + 1).reverse() : stream.slice(first, first + count);
    return page.map(recorded);
  }

  /** From a position, inclusive; null when there is no event. Ignores the filter, as the server does. */
  private readAll(options: ReadReq.Options): ReadResp[] | null {
    const from = options.getAll() ?? missing();
    const { records } = this.log();
    const count = Number(options.getCount());
    const backward = options.getReadDirection() === BACKWARDS;
    const position = BigInt(from.getPosition()?.getCommitPosition() ?? 0);
    if (from.hasPosition() && position > (records.at(-1)?.position ?? 0n)) return [];
    const at = from.hasPosition() ? this.log().indexAt(position) : from.hasEnd() ? records.length : 0;
    if (at < 0) return null;
    const page = backward ? records.slice(Math.max(0, at - count), at).reverse() : records.slice(at, at + count);
    return page.map(recorded);
  }
}

const sizeOf = (event: Proposed): number => event.data.length + event.metadata.length + 2 * event.type.length;

function appendTooLarge(): Partial<ServiceError> {
  const metadata = new Metadata();
  metadata.set('exception', 'maximum-append-size-exceeded');
  metadata.set('maximum-append-size', String(MAX_APPEND_BYTES));
  return { code: status.INVALID_ARGUMENT, details: 'Maximum Append Size of 1048576 Exceeded.', metadata };
}

function missing(): never {
  throw new Error('incomplete request');
}
