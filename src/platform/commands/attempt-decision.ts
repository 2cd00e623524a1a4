import type { Decide, DecisionWithResult } from '../../kernel/decider.ts';
import type { EventBody } from '../../kernel/event.ts';
import type { CommandContext } from './context.ts';

export type Attempt<Event extends EventBody, Result> =
  | {
      readonly kind: 'decided';
      readonly events: readonly Event[];
      readonly chain: CommandContext['chain'];
      readonly result: Result | undefined;
    }
  | { readonly kind: 'refused'; readonly reason: unknown };

/** A decision with its refusal as a value. */
export function attemptDecision<State, Event extends EventBody, Result>(
  decide: Decide<State, Event, Result>,
  state: State,
): Attempt<Event, Result> {
  try {
    const decision = decide(state);
    const { events, chain = null, result }: DecisionWithResult<Event, Result> = isEventList(decision) ? { events: decision } : decision;
    return { kind: 'decided', events, chain, result };
  } catch (reason) {
    return { kind: 'refused', reason };
  }
}

const isEventList = <Event>(decision: readonly Event[] | object): decision is readonly Event[] => Array.isArray(decision);
