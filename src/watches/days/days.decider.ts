import { type Decider, ignoreUnknownEvent } from '../../kernel/decider.ts';
import type { EventOf } from '../../kernel/event.ts';
import type { DayBooks, DaysEvents } from './days.events.ts';
import { daysStream, projectStream } from '../../kernel/stream-names.ts';

export type DaysEvent = EventOf<DaysEvents>;

/** The days of a year whose books are closed. */
export interface ClosedDays {
  readonly uptime: ReadonlySet<string>;
  readonly responseTimes: ReadonlySet<string>;
}

const initial: ClosedDays = { uptime: new Set(), responseTimes: new Set() };

function evolve(state: ClosedDays, event: DaysEvent): ClosedDays {
  switch (event.type) {
    case 'UptimeDayClosed':
      return { ...state, uptime: new Set(state.uptime).add(event.data.day) };
    case 'ResponseTimesDayClosed':
      return { ...state, responseTimes: new Set(state.responseTimes).add(event.data.day) };
    default:
      return ignoreUnknownEvent(event, state);
  }
}

/** Closing a closed book again changes nothing. */
export function closeDay(state: ClosedDays, { uptime, responseTimes }: DayBooks): readonly DaysEvent[] {
  const events: DaysEvent[] = [];
  if (!state.uptime.has(uptime.day)) events.push({ type: 'UptimeDayClosed', data: uptime });
  if (!state.responseTimes.has(responseTimes.day)) events.push({ type: 'ResponseTimesDayClosed', data: responseTimes });
  return events;
}

export const closedDays: Decider<ClosedDays, DaysEvent> = { initial, evolve };

export const daysTarget = (projectId: string, day: string) => ({
  stream: daysStream(projectId, day),
  scope: projectStream(projectId),
  decider: closedDays,
});
