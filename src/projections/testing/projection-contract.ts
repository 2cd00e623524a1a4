import type { Projection } from '../authoring/define-projection.ts';
import type { View } from '../authoring/define-view.ts';
import type { Law } from './law.ts';
import { lawsOfProjection } from './set-laws.ts';
import { lawsOfView } from './view-laws.ts';

/**
 * What a team checks its projection against, each law a test: `it.each(projectionContract(mine).map((law) => [law.says, law] as const))`, then
 * `law.check(events, pool)`. A law proves as much as its events tell: they have to have one of each type that is handled.
 */
export function projectionContract(projection: Projection | View): readonly Law[] {
  return [triesEverything(projection), ...('kind' in projection ? lawsOfProjection(projection) : lawsOfView(projection))];
}

const triesEverything = ({ name, handles }: Projection | View): Law => ({
  says: 'is tried with every type of event that it handles',
  check: async (events) => {
    const given = new Set(events.map(({ type }) => type));
    const missing = [...handles].filter((type) => !given.has(type));
    if (missing.length > 0)
      throw new Error(`${name} handles ${missing.join(', ')}: add such an event to those that the contract is checked with`);
    return Promise.resolve();
  },
});
