import type { StreamTarget } from '../../../kernel/decider.ts';
import type { EventBody } from '../../../kernel/event.ts';
import type { FoldedStream } from '../fold-stream.ts';

/** Events of a stream from one snapshot to the next. */
export const SNAPSHOT_EVERY = 500;

/** States of the deciders of long streams, derived from the log (docs/decisions/as-of.md). */
export interface StreamSnapshots {
  /** Null when there is none that this version of the decider can use. Whether the stream still holds the event that it stands on is for the caller to check. */
  load<State, Event extends EventBody>(target: StreamTarget<State, Event>): Promise<FoldedStream<State> | null>;
  /** Makes the next snapshot of the stream soon; never fails and never waits. */
  refresh(stream: string): void;
}

export const NO_SNAPSHOTS: StreamSnapshots = { load: () => Promise.resolve(null), refresh: () => undefined };
