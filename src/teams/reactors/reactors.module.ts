import { Module } from '@nestjs/common';
import type pg from 'pg';
import { DATABASE } from '../../platform/postgres/pool.ts';
import { ReactorStore } from './reactor-store.ts';
import { ReactorsController } from './reactors.controller.ts';

@Module({
  controllers: [ReactorsController],
  providers: [{ provide: ReactorStore, useFactory: (pool: pg.Pool) => new ReactorStore(pool), inject: [DATABASE] }],
})
export class ReactorsModule {}
