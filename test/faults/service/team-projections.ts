import { resolve } from 'node:path';

/** For PROJECTIONS: a team's read model in the service under fault injection. */
export const TEAM = resolve(import.meta.dirname, 'titles.projection.ts');
