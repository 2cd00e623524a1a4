import type { AllStreamRecordedEvent, ReadPosition } from '@eventstore/db-client';
import { errorType, type Session } from './connection.ts';
import { formatPosition, type Position } from './event-mapping.ts';
import { readToEnd } from './batch-reader.ts';
import type { KurrentDbTimeouts } from './timeouts.ts';

/** How many of the newest events are scanned for one of ours between the server's own: twice the checkpoint distance of a subscription. */
const SCAN_BACK = 64;

const isSystemEvent = (event: AllStreamRecordedEvent): boolean => event.type.startsWith('$');

/** The newest event that is not the server's own, null when there is none among the newest 64. */
export async function newestEvent(session: Session, timeouts: KurrentDbTimeouts): Promise<AllStreamRecordedEvent | null> {
  const events = await readAll(session, timeouts, 'end', 'backwards', SCAN_BACK);
  return events.find((event) => !isSystemEvent(event)) ?? null;
}

/** Whether a healthy subscription would have received something after `scanned`: an event, or a checkpoint after many events of the server's own. */
export async function hasMore(session: Session, timeouts: KurrentDbTimeouts, scanned: string): Promise<boolean> {
  const events = await readAll(session, timeouts, 'end', 'backwards', SCAN_BACK);
  const beyond = events.filter((event) => formatPosition(event.position) > scanned);
  return beyond.length === SCAN_BACK || beyond.some((event) => !isSystemEvent(event));
}

/** The event at exactly this position, null when the server has none there. */
export async function eventAt(session: Session, timeouts: KurrentDbTimeouts, position: Position): Promise<AllStreamRecordedEvent | null> {
  try {
    const [event] = await readAll(session, timeouts, position, 'forwards', 1);
    return event?.position.commit === position.commit && event.position.prepare === position.prepare ? event : null;
  } catch (error) {
    // A position that this server never had yields an error of type 'unknown': it counts only if the server answers another query.
    if (errorType(error) !== 'unknown') throw error;
    await newestEvent(session, timeouts);
    return null;
  }
}

async function readAll(
  { client }: Session,
  timeouts: KurrentDbTimeouts,
  fromPosition: ReadPosition,
  direction: 'forwards' | 'backwards',
  maxCount: number,
): Promise<readonly AllStreamRecordedEvent[]> {
  const reading = client.readAll({ fromPosition, direction, maxCount, requiresLeader: true });
  return readToEnd(reading, timeouts.attemptMs);
}
