import { Module } from '@nestjs/common';
import type pg from 'pg';
import { DeadLetters } from '../../processes/notifications/dead-letters.ts';
import { DATABASE } from '../../persistence/pool.ts';
import { ProjectionsController } from './projections.controller.ts';

@Module({
  controllers: [ProjectionsController],
  providers: [{ provide: DeadLetters, useFactory: (pool: pg.Pool) => new DeadLetters(pool), inject: [DATABASE] }],
})
export class ProjectionsModule {}
