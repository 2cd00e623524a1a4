import type { Decider } from '../../kernel/decider.ts';
import type { EventBody } from '../../kernel/event.ts';
import type { SystemEvents } from './system.events.ts';

type SystemEvent = { [Type in keyof SystemEvents]: EventBody<Type, SystemEvents[Type]> }[keyof SystemEvents];

/** The positions that were voided. */
type Voided = ReadonlySet<number>;

const system: Decider<Voided, SystemEvent> = {
  initial: new Set(),
  evolve: (voided, event) => (event.type === 'EventVoided' ? new Set(voided).add(event.data.n) : voided),
};

/** What an operator does to the record itself stands in one stream. */
export const systemTarget = { stream: 'system', scope: 'system', decider: system } as const;

/** Voided once. */
export const voidEvent = (voided: Voided, data: SystemEvents['EventVoided']): readonly SystemEvent[] =>
  voided.has(data.n) ? [] : [{ type: 'EventVoided', data }];
