import { Intake } from './intake.ts';
import { NoAnswer } from './patience.ts';

interface Reading {
  cancel(): Promise<unknown>;
}

/** All events that a reading brings. Silence is an error, and a reading that did not come to its end is cancelled. */
export async function readToEnd<Event>(
  reading: Reading & ConstructorParameters<typeof Intake>[0],
  silenceMs: number,
): Promise<readonly Event[]> {
  const intake = new Intake<{ event?: Event }>(reading);
  const events: Event[] = [];
  let whole = false;
  try {
    for (;;) {
      const batch = await intake.next(silenceMs);
      if (batch === 'silence') throw new NoAnswer(silenceMs);
      if (batch === 'end' || batch === 'aborted') break;
      for (const { event } of batch) if (event) events.push(event);
    }
    whole = true;
    return events;
  } finally {
    if (!whole) void reading.cancel().catch(() => undefined);
  }
}
