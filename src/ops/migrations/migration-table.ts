import type { MigrationInterface } from 'typeorm';
import { CreateLog1700000001000 } from './0001-log.migration.ts';

/** In order; a released migration is never edited, a change is a new one. */
export const migrations: readonly (new () => MigrationInterface)[] = [CreateLog1700000001000];
