import { Module } from '@nestjs/common';
import type pg from 'pg';
import { DeadLetters } from '../../processes/notifications/dead-letters.ts';
import { DATABASE } from '../../persistence/pool.ts';
import { SkipForProjectionHandler, VoidEventHandler } from '../../commands/system.commands.ts';
import { ProjectionsController } from './projections.controller.ts';

@Module({
  controllers: [ProjectionsController],
  providers: [
    VoidEventHandler,
    SkipForProjectionHandler,
    { provide: DeadLetters, useFactory: (pool: pg.Pool) => new DeadLetters(pool), inject: [DATABASE] },
  ],
})
export class ProjectionsModule {}
