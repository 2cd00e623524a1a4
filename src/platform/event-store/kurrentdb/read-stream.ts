import type { EventStoreDBClient, RecordedEvent } from '@eventstore/db-client';
import { BackOff } from '../../../kernel/back-off.ts';
import type { StreamEvent } from '../../../kernel/event.ts';
import type { ReadOptions } from '../event-store.ts';
import { StoreUnavailable } from '../../../kernel/errors.ts';
import { AccessRefused, errorType, type Connection } from './connection.ts';
import { withTimeout, type KurrentDbTimeouts } from './timeouts.ts';
import { readToEnd } from './batch-reader.ts';
import { toStreamEvent } from './event-mapping.ts';

type PageRequest = Required<Omit<ReadOptions, 'from'>> & Pick<ReadOptions, 'from'>;

const PAGE = 1000;

/** Reads page by page, so that a consumer that stops early leaves nothing running and a broken connection costs one page. */
export async function* readStream(
  connection: Connection,
  timeouts: KurrentDbTimeouts,
  stream: string,
  options: ReadOptions,
  onForeign: () => void,
): AsyncGenerator<StreamEvent> {
  const direction = options.direction ?? 'forward';
  let left = options.limit ?? Infinity;
  let from = options.from;
  while (left > 0) {
    const limit = Math.min(left, PAGE);
    const page = await readPage(connection, timeouts, stream, { ...(from !== undefined && { from }), direction, limit });
    for (const recorded of page) {
      const event = toStreamEvent(recorded);
      if (event) yield event;
      else onForeign();
    }
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return;
    left -= page.length;
    from = Number(last.revision) + (direction === 'forward' ? 1 : -1);
    if (from < 0) return;
  }
}

async function readPage(
  connection: Connection,
  timeouts: KurrentDbTimeouts,
  stream: string,
  request: PageRequest,
): Promise<readonly RecordedEvent[]> {
  const deadline = performance.now() + timeouts.deadlineMs;
  const backOff = new BackOff(50, 500);
  for (;;) {
    try {
      const { client } = await withTimeout(timeouts.attemptMs, connection.open());
      return await readBatch(client, timeouts, stream, request);
    } catch (error) {
      const type = errorType(error);
      if (type === 'stream-deleted') throw error;
      if (type === 'access-denied') throw new AccessRefused(error);
      if (performance.now() + timeouts.attemptMs / 2 > deadline)
        throw new StoreUnavailable('the event store is not reachable; try again', {
          cause: new Error(`reading ${stream}`, { cause: error }),
        });
      await backOff.wait();
    }
  }
}

/** One page as the server holds it, including events of other applications; empty for a stream that does not exist. */
export async function readBatch(
  client: EventStoreDBClient,
  timeouts: KurrentDbTimeouts,
  stream: string,
  request: PageRequest,
): Promise<readonly RecordedEvent[]> {
  const forward = request.direction === 'forward';
  const fromRevision = request.from === undefined ? (forward ? 'start' : 'end') : BigInt(request.from);
  const reading = client.readStream(
    stream,
    { fromRevision, direction: forward ? 'forwards' : 'backwards', maxCount: request.limit, requiresLeader: true },
    { highWaterMark: 256 },
  );
  try {
    return await readToEnd(reading, timeouts.attemptMs);
  } catch (error) {
    if (errorType(error) === 'stream-not-found') return [];
    throw error;
  }
}
