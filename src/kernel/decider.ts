import type { EventChain, EventBody } from './event.ts';

/** The state of one stream: where it begins, and how an event changes it. `evolve` never throws and never reads a clock. */
export interface Decider<State, Event extends EventBody> {
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  /** The deciders of a `pair`. */
  readonly parts?: readonly object[];
}

/** One stream, how to fold it, and the scope (project or account) of its events. */
export interface StreamTarget<State, Event extends EventBody> {
  readonly stream: string;
  readonly scope: string;
  readonly decider: Decider<State, Event>;
}

/** The `default` of an exhaustive switch in `evolve`: a missing case does not compile, and an event of a newer version changes nothing. */
export const ignoreUnknownEvent = <State>(_event: never, state: State): State => state;

/** The events of a decision, alone or with what the decision learnt from the state. `[]` changes nothing. */
export type Decision<Event extends EventBody, Result = undefined> = readonly Event[] | DecisionWithResult<Event, Result>;

export interface DecisionWithResult<Event extends EventBody, Result> {
  readonly events: readonly Event[];
  /** The chain that the events continue, unless the command already belongs to one. */
  readonly chain?: EventChain | null;
  /** For the caller, so that nothing is computed or read twice. */
  readonly result?: Result;
}

/** A pure function from the state to what happens. A refusal is a thrown `DomainError`. */
export type Decide<State, Event extends EventBody, Result = undefined> = (state: State) => Decision<Event, Result>;

/** Two deciders of one stream, for a decision that needs both states and one append. */
export const pair = <A, EventA extends EventBody, B, EventB extends EventBody>(
  first: Decider<A, EventA>,
  second: Decider<B, EventB>,
): Decider<readonly [A, B], EventA | EventB> => ({
  parts: [first, second],
  initial: [first.initial, second.initial],
  // Deciders that share a stream ignore each other's events; the compiler cannot know it.
  evolve: ([a, b], event) => [first.evolve(a, event as EventA), second.evolve(b, event as EventB)],
});
