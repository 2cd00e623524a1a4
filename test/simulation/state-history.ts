import type { Interval } from './invariants/interval.ts';

export interface StatePeriod<State> extends Interval {
  readonly state: State;
}

/** The history of a state: each value holds until the next. */
export class StateHistory<State> {
  private readonly turns: { readonly at: number; readonly state: State }[];

  constructor(at: number, state: State) {
    this.turns = [{ at, state }];
  }

  get state(): State {
    const last = this.turns.at(-1);
    if (last === undefined) throw new Error('a history starts with a state');
    return last.state;
  }

  turn(at: number, state: State): void {
    if (state !== this.state) this.turns.push({ at, state });
  }

  /** In order, without gaps; the last one ends at `end`. */
  spells(end: number): readonly StatePeriod<State>[] {
    return this.turns.map(({ at, state }, index) => ({ from: at, to: this.turns[index + 1]?.at ?? end, state }));
  }

  at(instant: number): State | undefined {
    return this.turns.findLast(({ at }) => at <= instant)?.state;
  }
}
