import { resolve } from 'node:path';

/** For PROJECTIONS: a team's read model in the service under fault injection. */
export const TEAM = resolve(import.meta.dirname, 'titles.projection.ts');

/** The same with a reactor, for which EFFECTS_URL and OUTSIDE_DATABASE name where it acts. */
export const ACTING_TEAM = resolve(import.meta.dirname, 'acting-team.package.ts');
