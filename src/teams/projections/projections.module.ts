import { Module } from '@nestjs/common';
import type pg from 'pg';
import { DeadLetters } from '../../alerts/process/dead-letters.ts';
import { DATABASE } from '../../platform/postgres/pool.ts';
import { ProjectionsController } from './projections.controller.ts';

@Module({
  controllers: [ProjectionsController],
  providers: [{ provide: DeadLetters, useFactory: (pool: pg.Pool) => new DeadLetters(pool), inject: [DATABASE] }],
})
export class ProjectionsModule {}
