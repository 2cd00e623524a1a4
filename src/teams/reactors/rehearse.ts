import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { LogEvent } from '../../kernel/event.ts';
import type { Log } from '../../platform/log/log.ts';
import { errorText } from '../../platform/read-models/engine/parked-events.ts';
import type { ReactorShape } from '../manifest.ts';
import type { RunningChild } from '../process/running-child.ts';
import type { RecordedEffect } from './effects.ts';

export interface RehearsalOptions {
  readonly child: RunningChild;
  readonly reactor: ReactorShape;
  readonly log: Pick<Log, 'read'>;
  /** Strictly after this position, up to and including the other one. */
  readonly after: number;
  readonly until: number;
  readonly signal: AbortSignal;
}

/** What a reactor would have done about one event. */
export interface Rehearsed extends Pick<LogEvent, 'n' | 'id' | 'type' | 'scope' | 'recordedAt'> {
  readonly effects: readonly RecordedEffect[];
  /** Null when the reactor can handle it. */
  readonly error: string | null;
}

const PAGE = 500;

/** Runs a reactor over history in its process, with effects that are recorded instead of made. No checkpoint moves. */
export async function* rehearseEvents({ child, reactor, log, after, until, signal }: RehearsalOptions): AsyncGenerator<Rehearsed> {
  for (let at = after; at < until && !signal.aborted;) {
    const page = await log.read({ after: at, until, limit: PAGE });
    for (const event of page) {
      if (!reactor.handles.includes(event.type) || signal.aborted) continue;
      yield await rehearsed(child, reactor, event);
      // The event ended the process, so that no further event can be handled.
      if (child.signal.aborted) return;
    }
    at = page.at(-1)?.n ?? until;
    await yieldToOthers();
  }
}

async function rehearsed(child: RunningChild, { name }: ReactorShape, event: LogEvent): Promise<Rehearsed> {
  const { n, id, type, scope, recordedAt } = event;
  try {
    const effects = await child.call('rehearse', { reactor: name, event });
    return { n, id, type, scope, recordedAt, effects, error: null };
  } catch (error) {
    return { n, id, type, scope, recordedAt, effects: [], error: errorText(error) };
  }
}
