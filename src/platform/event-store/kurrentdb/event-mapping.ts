import type { AllStreamRecordedEvent, EventData } from '@eventstore/db-client';
import type { EventMeta, NewEvent, StreamEvent } from '../../../kernel/event.ts';
import type { FollowedEvent } from '../event-store.ts';
import { isValidName } from '../limits.ts';
import { isObject } from '../../../kernel/is-object.ts';

/** A position in the server's own log. */
export interface Position {
  readonly commit: bigint;
  readonly prepare: bigint;
}

const DIGITS = 20;
const FORM = /^(\d{20}):(\d{20})$/;

const digits = (value: bigint): string => value.toString().padStart(DIGITS, '0');

/** `commit:prepare`, padded to the width of an unsigned 64-bit number, so that positions sort as text, also in Postgres. */
export const formatPosition = ({ commit, prepare }: Position): string => `${digits(commit)}:${digits(prepare)}`;

export function parsePosition(text: string): Position {
  const match = FORM.exec(text);
  if (match?.[1] === undefined || match[2] === undefined) throw new RangeError(`"${text}" is not a position of a KurrentDB log`);
  return { commit: BigInt(match[1]), prepare: BigInt(match[2]) };
}

/** The server encodes "before the first event" as the largest number, which would otherwise sort behind every position. */
const END_OF_POSITIONS = 1n << 63n;

export const isRealPosition = ({ commit, prepare }: Position): boolean => commit < END_OF_POSITIONS && prepare < END_OF_POSITIONS;

/** Our metadata in the server: the event's meta with its version and scope. */
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

/** Null for an event of another application in the same server: it lacks our metadata. */
export function toStreamEvent(recorded: Recorded): StreamEvent | null {
  const { metadata, data } = recorded;
  if (!recorded.isJson || !isObject(data) || !isStoredMeta(metadata)) return null;
  const { version, scope, ...meta } = metadata;
  if (![recorded.type, recorded.streamId, scope].every(isValidName)) return null;
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
