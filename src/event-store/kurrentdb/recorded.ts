import type { AllStreamRecordedEvent, EventData } from '@eventstore/db-client';
import type { EventMeta, NewEvent, StreamEvent } from '../../kernel/event.ts';
import type { FollowedEvent } from '../event-store.ts';
import { isName } from '../limits.ts';
import { formatPosition } from './positions.ts';

/** What stands in the metadata of an event of ours: its version and scope beside the meta of the kernel. */
type StoredMeta = EventMeta & { readonly version: number; readonly scope: string };

export const toEventData = (event: NewEvent): EventData => ({
  id: event.id,
  type: event.type,
  contentType: 'application/json',
  data: { ...event.data },
  metadata: { version: event.version, scope: event.scope, ...event.meta },
});

interface Recorded {
  readonly streamId: string;
  readonly id: string;
  readonly revision: bigint;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: unknown;
  readonly metadata?: unknown;
}

/** Null for an event that somebody else wrote into the same server: it has no metadata of ours. */
export function toStreamEvent(recorded: Recorded): StreamEvent | null {
  const { metadata, data } = recorded;
  if (!recorded.isJson || !isObject(data) || !isStoredMeta(metadata)) return null;
  const { version, scope, ...meta } = metadata;
  if (![recorded.type, recorded.streamId, scope].every(isName)) return null;
  return {
    id: recorded.id,
    type: recorded.type,
    version,
    scope,
    stream: recorded.streamId,
    revision: Number(recorded.revision),
    data,
    meta,
  };
}

export function toFollowedEvent(recorded: AllStreamRecordedEvent): FollowedEvent | null {
  const event = toStreamEvent(recorded);
  return event && { ...event, position: formatPosition(recorded.position), storedAt: recorded.created.toISOString() };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function isStoredMeta(value: unknown): value is StoredMeta {
  return (
    isObject(value) &&
    typeof value['version'] === 'number' &&
    typeof value['scope'] === 'string' &&
    typeof value['commandId'] === 'string' &&
    typeof value['correlationId'] === 'string' &&
    typeof value['occurredAt'] === 'string' &&
    isObject(value['actor'])
  );
}
