import type { EventStoreDBClient, RecordedEvent } from '@eventstore/db-client';
import type { StreamEvent } from '../../kernel/event.ts';
import type { ReadOptions } from '../event-store.ts';
import { StoreUnavailable } from '../../kernel/errors.ts';
import { AccessRefused, errorType, type Connection } from './connection.ts';
import type { Patience } from './options.ts';
import { BackOff, within } from './patience.ts';
import { readToEnd } from './read-to-end.ts';
import { toStreamEvent } from './recorded.ts';

type Span = Required<Omit<ReadOptions, 'from'>> & Pick<ReadOptions, 'from'>;

const PAGE = 1000;

/** Page by page, so that a reader who stops early leaves nothing running and a broken connection costs one page. */
export async function* readStream(
  connection: Connection,
  patience: Patience,
  stream: string,
  options: ReadOptions,
  onForeign: () => void,
): AsyncGenerator<StreamEvent> {
  const direction = options.direction ?? 'forward';
  let left = options.limit ?? Infinity;
  let from = options.from;
  while (left > 0) {
    const limit = Math.min(left, PAGE);
    const page = await readPage(connection, patience, stream, { ...(from !== undefined && { from }), direction, limit });
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

async function readPage(connection: Connection, patience: Patience, stream: string, span: Span): Promise<readonly RecordedEvent[]> {
  const deadline = performance.now() + patience.deadlineMs;
  const backOff = new BackOff(50, 500);
  for (;;) {
    try {
      const { client } = await within(patience.attemptMs, connection.open());
      return await readBatch(client, patience, stream, span);
    } catch (error) {
      const type = errorType(error);
      if (type === 'stream-deleted') throw error;
      if (type === 'access-denied') throw new AccessRefused(error);
      if (performance.now() + patience.attemptMs / 2 > deadline)
        throw new StoreUnavailable('the event store did not answer in time; try again', {
          cause: new Error(`reading ${stream}`, { cause: error }),
        });
      await backOff.wait();
    }
  }
}

/** One page as the server holds it, events of others included; a stream that does not exist is an empty page. */
export async function readBatch(
  client: EventStoreDBClient,
  patience: Patience,
  stream: string,
  span: Span,
): Promise<readonly RecordedEvent[]> {
  const forward = span.direction === 'forward';
  const fromRevision = span.from === undefined ? (forward ? 'start' : 'end') : BigInt(span.from);
  const reading = client.readStream(
    stream,
    { fromRevision, direction: forward ? 'forwards' : 'backwards', maxCount: span.limit, requiresLeader: true },
    { highWaterMark: 256 },
  );
  try {
    return await readToEnd(reading, patience.attemptMs);
  } catch (error) {
    if (errorType(error) === 'stream-not-found') return [];
    throw error;
  }
}
