import { Module } from '@nestjs/common';
import type pg from 'pg';
import { DeadLetters } from '../alerts/process/dead-letters.ts';
import { DATABASE } from '../platform/postgres/pool.ts';
import { ProjectionsController } from './projections/projections.controller.ts';
import { ReactorStore } from './reactors/reactor-store.ts';
import { ReactorsController } from './reactors/reactors.controller.ts';

/** The state of projections and reactors, those of teams included. */
@Module({
  controllers: [ProjectionsController, ReactorsController],
  providers: [
    { provide: DeadLetters, useFactory: (pool: pg.Pool) => new DeadLetters(pool), inject: [DATABASE] },
    { provide: ReactorStore, useFactory: (pool: pg.Pool) => new ReactorStore(pool), inject: [DATABASE] },
  ],
})
export class TeamsModule {}
