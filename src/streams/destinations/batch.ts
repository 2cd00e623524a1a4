import type { LogEvent } from '../../kernel/event.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { SealOfBatch } from './carried-seal.ts';
import type { PushedBatch } from './kinds/destination-kind.ts';
import type { PartitionRow } from './push-store.ts';

/** Port: events as CloudEvents, without secrets. */
export interface EventPresenter {
  present(events: readonly LogEvent[]): Promise<readonly object[]>;
  /** The address of the API. */
  readonly baseUrl: string;
}

interface ComposedBatch {
  readonly row: Pick<PartitionRow, 'destinationId' | 'scope' | 'position' | 'replay'>;
  readonly events: readonly LogEvent[];
  readonly seal: SealOfBatch | null;
  readonly now: number;
}

const TYPE = 'watchledger.destination';

/** The first element says what the batch continues, so that a receiver sees a gap without asking. It is signed with the others. */
export async function composeBatch({ row, events, seal, now }: ComposedBatch, presenter: EventPresenter): Promise<PushedBatch> {
  const { destinationId, scope, position, replay } = row;
  const last = events.at(-1)?.n ?? position;
  const id = derivedId('destination batch', destinationId, scope, replay, position, last);
  const data = {
    destination: destinationId,
    scope,
    replay: replay === 0 ? null : String(replay),
    previous: String(position),
    position: String(last),
    events: events.length,
    // The seal may lag: `covers` says whether the checkpoint has this batch, too.
    seal: seal === null ? null : { ...seal, covers: seal.to > last },
  };
  const presented = await presenter.present(events);
  return { id, body: JSON.stringify([control('batch', id, destinationId, data, now, presenter.baseUrl), ...presented]) };
}

/** A batch without events. */
export function composeTest(id: string, destinationId: string, now: number, baseUrl: string): PushedBatch {
  return { id, body: JSON.stringify([control('test', id, destinationId, { destination: destinationId }, now, baseUrl)]) };
}

const control = (what: 'batch' | 'test', id: string, subject: string, data: object, now: number, baseUrl: string): object => ({
  specversion: '1.0',
  id,
  source: `${baseUrl}/events`,
  type: `${TYPE}.${what}.v1`,
  subject,
  time: new Date(now).toISOString(),
  datacontenttype: 'application/json',
  data,
});
