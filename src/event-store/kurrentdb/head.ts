import type { AllStreamRecordedEvent, ReadPosition } from '@eventstore/db-client';
import { errorType, type Session } from './connection.ts';
import type { Patience } from './options.ts';
import { formatPosition, type Position } from './positions.ts';
import { readToEnd } from './read-to-end.ts';

/** Events of the server itself lie between ours: so many are looked through. Twice the distance of two checkpoints of a subscription. */
const LOOK_BACK = 64;

const isSystem = (event: AllStreamRecordedEvent): boolean => event.type.startsWith('$');

/** The newest event that is not the server's own, null when there is none among the last few. */
export async function newestEvent(session: Session, patience: Patience): Promise<AllStreamRecordedEvent | null> {
  const events = await readAll(session, patience, 'end', 'backwards', LOOK_BACK);
  return events.find((event) => !isSystem(event)) ?? null;
}

/** Whether the server has something after `scanned` that a healthy subscription would have brought: an event, or so many of its own that a checkpoint was due. */
export async function hasMore(session: Session, patience: Patience, scanned: string): Promise<boolean> {
  const events = await readAll(session, patience, 'end', 'backwards', LOOK_BACK);
  const beyond = events.filter((event) => formatPosition(event.position) > scanned);
  return beyond.length === LOOK_BACK || beyond.some((event) => !isSystem(event));
}

/** The event at exactly this position, null when the server has none there. */
export async function eventAt(session: Session, patience: Patience, position: Position): Promise<AllStreamRecordedEvent | null> {
  try {
    const [event] = await readAll(session, patience, position, 'forwards', 1);
    return event?.position.commit === position.commit && event.position.prepare === position.prepare ? event : null;
  } catch (error) {
    // A position that never was one of this server is answered with an error of no particular kind: it counts only while the server answers otherwise.
    if (errorType(error) !== 'unknown') throw error;
    await newestEvent(session, patience);
    return null;
  }
}

async function readAll(
  { client }: Session,
  patience: Patience,
  fromPosition: ReadPosition,
  direction: 'forwards' | 'backwards',
  maxCount: number,
): Promise<readonly AllStreamRecordedEvent[]> {
  const reading = client.readAll({ fromPosition, direction, maxCount, requiresLeader: true });
  return readToEnd(reading, patience.attemptMs);
}
