import type { EventBody } from './event.ts';

/** The state of one stream: where it begins, and how an event changes it. `evolve` never throws and never looks at a clock. */
export interface Decider<State, Event extends EventBody> {
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
}

/** A decision is pure: what is asked and what is known, to what happens. Deciding nothing is `[]`. */
export type Decide<State, Event extends EventBody> = (state: State) => readonly Event[];

/** The `default` of an exhaustive switch in `evolve`: a missing case does not compile, and an event of a newer version changes nothing. */
export const ignoreUnknownEvent = <State>(_event: never, state: State): State => state;

/** Two deciders of one stream, for a decision that needs both of them in one append. */
export const pair = <A, EventA extends EventBody, B, EventB extends EventBody>(
  first: Decider<A, EventA>,
  second: Decider<B, EventB>,
): Decider<readonly [A, B], EventA | EventB> => ({
  initial: [first.initial, second.initial],
  // Each passes over the events of the other: that is what sharing a stream asks of a decider.
  evolve: ([a, b], event) => [first.evolve(a, event as EventA), second.evolve(b, event as EventB)],
});
