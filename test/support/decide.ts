import { expect } from '@jest/globals';
import type { Decide, Decider } from '../../src/kernel/decider.ts';
import type { EventBody } from '../../src/kernel/event.ts';

/** Given/when/then for a decider: `decide(decider).given(...events).when(decision).then(...events)`; `state` is that after the given events. */
export function decide<State, Event extends EventBody>(decider: Decider<State, Event>) {
  return {
    given: (...events: readonly Event[]) => {
      const state = events.reduce(decider.evolve, decider.initial);
      return {
        state,
        when: <Result>(decision: Decide<State, Event, Result>) => ({
          then: (...expected: readonly Event[]) => {
            const decided = decision(state);
            expect('events' in decided ? decided.events : decided).toEqual(expected);
          },
          thenRefused: (code: string) => {
            expect(refusalOf(() => decision(state))).toMatchObject({ code });
          },
        }),
      };
    },
  };
}

function refusalOf(decision: () => unknown): unknown {
  try {
    decision();
  } catch (refusal) {
    return refusal;
  }
  throw new Error('the command was not refused');
}
