import { Module } from '@nestjs/common';
import type pg from 'pg';
import { SetAside } from '../../delivery/outbox/set-aside.ts';
import { DATABASE } from '../../persistence/pool.ts';
import { SkipForProjectionHandler } from '../../commands/system/skip-for-projection.command.ts';
import { VoidEventHandler } from '../../commands/system/void-event.command.ts';
import { ProjectionsController } from './projections.controller.ts';

@Module({
  controllers: [ProjectionsController],
  providers: [
    VoidEventHandler,
    SkipForProjectionHandler,
    { provide: SetAside, useFactory: (pool: pg.Pool) => new SetAside(pool), inject: [DATABASE] },
  ],
})
export class ProjectionsModule {}
