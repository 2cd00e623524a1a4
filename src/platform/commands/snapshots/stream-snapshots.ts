import type { Decider, StreamTarget } from '../../../kernel/decider.ts';
import type { EventBody } from '../../../kernel/event.ts';
import type { FoldedStream } from '../fold-stream.ts';

export type AnyDecider = Decider<unknown, EventBody>;

/** How the events of a stream become one state, and which snapshots of it are usable. */
export interface Fold {
  readonly name: string;
  /** A hash of the source that folds: a test demands another one after every change, and snapshots of other versions are ignored. */
  readonly version: string;
  readonly decider: AnyDecider;
}

// Cast: a fold is only ever given events of its stream and its own states.
export const fold = (name: string, decider: object, version: string): Fold => ({ name, version, decider: decider as AnyDecider });

/** The folds of every kind of stream that can become long, by the first word of its name. */
export class Folds {
  constructor(readonly byKind: Readonly<Record<string, readonly Fold[]>>) {}

  of(stream: string): readonly Fold[] {
    return this.byKind[stream.slice(0, Math.max(stream.indexOf('-'), 0))] ?? [];
  }

  /** The fold of a decider, or those of a pair; null where one has none. */
  ofDecider(
    stream: string,
    { parts, ...decider }: { readonly evolve: unknown; readonly parts?: readonly object[] },
  ): readonly Fold[] | null {
    const known = this.of(stream);
    const wanted = parts ?? [decider];
    const folds = wanted.flatMap((part) => known.filter((candidate) => candidate.decider.evolve === (part as AnyDecider).evolve));
    return folds.length === wanted.length ? folds : null;
  }
}

/** Several folds of one stream in one pass. */
export const together = (folds: readonly Fold[]): Decider<readonly unknown[], EventBody> => ({
  initial: folds.map(({ decider }) => decider.initial),
  evolve: (states, event) => folds.map(({ decider }, index) => decider.evolve(states[index], event)),
});

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
