import type { LogEvent } from '../../kernel/event.ts';
import { presentEvent, type PresentedEvent } from './event.presenter.ts';
import type { NamesReader } from './names-reader.ts';
import { summaryOf } from './summary.ts';

/** Events as readers see them, with today's names. */
export async function presentEvents(reader: NamesReader, events: readonly LogEvent[]): Promise<readonly PresentedEvent[]> {
  const names = await reader.read(events);
  return events.map((event) => presentEvent(event, names.actor(event), summaryOf(event, names)));
}
