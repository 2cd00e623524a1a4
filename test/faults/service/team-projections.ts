import { resolve } from 'node:path';

/** For PROJECTIONS: a team's own read model in the service that faults befall. */
export const TEAM = resolve(import.meta.dirname, 'titles.projection.ts');
