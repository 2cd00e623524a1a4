import type { EventBody } from './event.ts';

/** The state of one stream: where it begins, and how an event changes it. `evolve` never throws and never looks at a clock. */
export interface Decider<State, Event extends EventBody> {
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
}

/** A decision is pure: what is asked and what is known, to what happens. Deciding nothing is `[]`. */
export type Decide<State, Event extends EventBody> = (state: State) => readonly Event[];
