import { type Decider, ignoreUnknownEvent } from '../../kernel/decider.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import type { EventOf } from '../../kernel/event.ts';
import type { ObjectiveEvents } from './objective.events.ts';
import type { ServiceObjective } from './objective.settings.ts';

export type ObjectiveEvent = EventOf<ObjectiveEvents>;

/** The state of a project's objective; `current` is null while it has none. */
export interface Objective {
  readonly current: ServiceObjective | null;
}

function evolve(state: Objective, event: ObjectiveEvent): Objective {
  switch (event.type) {
    case 'ObjectiveSet':
      return { current: event.data };
    case 'ObjectiveRemoved':
      return { current: null };
    default:
      return ignoreUnknownEvent(event, state);
  }
}

export function setObjective({ current }: Objective, wanted: ServiceObjective): readonly ObjectiveEvent[] {
  const names = wanted.methods.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new InvalidInput(`methods: two methods have the name "${twice}"`);
  wanted.credits.forEach(({ below, percent }, index) => {
    const before = wanted.credits[index - 1];
    if (before === undefined) return;
    if (below >= before.below) throw new InvalidInput(`credits.${String(index)}.below: must be less than that of the tier before`);
    if (percent <= before.percent) throw new InvalidInput(`credits.${String(index)}.percent: must be more than that of the tier before`);
  });
  return current !== null && isSame(current, wanted) ? [] : [{ type: 'ObjectiveSet', data: wanted }];
}

export const removeObjective = ({ current }: Objective): readonly ObjectiveEvent[] =>
  current === null ? [] : [{ type: 'ObjectiveRemoved', data: { target: current.target } }];

/** Compares by value: members of a stored event may come in another order. */
const isSame = (one: ServiceObjective, other: ServiceObjective): boolean => spelled(one) === spelled(other);

const spelled = ({ target, offsetMinutes, methods, credits }: ServiceObjective): string =>
  JSON.stringify([
    target?.percent,
    target?.window,
    offsetMinutes,
    methods.map(({ name, title, down, maintenance, unknown, rounding }) => [
      ...[name, title, down.unconfirmed, down.timeouts, maintenance, unknown, rounding.decimals, rounding.mode],
    ]),
    credits.map(({ below, percent }) => [below, percent]),
  ]);

export const objective: Decider<Objective, ObjectiveEvent> = { initial: { current: null }, evolve };
