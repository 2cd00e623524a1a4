import { isSetProjection, type Projection } from '../authoring/define-projection.ts';
import type { View } from '../authoring/define-view.ts';
import type { Law } from './law.ts';
import { lawsOfProjection } from './set-laws.ts';
import { lawsOfView } from './view-laws.ts';

/**
 * The laws of a team's projection, one test each: `it.each(projectionContract(mine).map((law) => [law.says, law] as const))`, then
 * `law.check(events, pool)`. The events must include one of each handled type, because a law proves nothing about other handlers.
 */
export function projectionContract(projection: Projection | View): readonly Law[] {
  return [coversEveryHandler(projection), ...(isSetProjection(projection) ? lawsOfProjection(projection) : lawsOfView(projection))];
}

const coversEveryHandler = ({ name, handles }: Projection | View): Law => ({
  says: 'is tried with every type of event that it handles',
  check: async (events) => {
    const given = new Set(events.map(({ type }) => type));
    const missing = [...handles].filter((type) => !given.has(type));
    if (missing.length > 0)
      throw new Error(`${name} handles ${missing.join(', ')}: add an event of each to those that the contract is checked with`);
    return Promise.resolve();
  },
});
