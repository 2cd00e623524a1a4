import type { EntriesOf } from '../../kernel/catalogue.ts';
import type { ServiceObjective } from './objective.settings.ts';

/** They stand in the project's stream. */
export interface ObjectiveEvents {
  /** The whole objective: it replaces the one before. */
  ObjectiveSet: ServiceObjective;
  /** `target`: what was removed. */
  ObjectiveRemoved: { readonly target: ServiceObjective['target'] };
}

export const objectiveEvents = { ObjectiveSet: { version: 1 }, ObjectiveRemoved: { version: 1 } } satisfies EntriesOf<ObjectiveEvents>;
