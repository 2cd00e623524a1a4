import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import type pg from 'pg';
import { DATABASE } from '../base/pool.ts';
import type { Place } from '../event-store/event-store.ts';
import { Visibility } from '../projections/kit/visibility.ts';
import { AreaModule } from './area/area.module.ts';
import { AuthModule } from './auth/auth.module.ts';
import { CheckModule } from './check/check.module.ts';
import { ErrorFilter } from './errors/error.filter.ts';
import { IdempotencyStore } from './idempotency/idempotency-store.ts';
import { READS, type Reads } from './idempotency/reads.ts';
import { WriteInterceptor } from './idempotency/write.interceptor.ts';
import { ProjectModule } from './project/project.module.ts';
import { validationPipe } from './validation/validation.pipe.ts';

/** How long the answer to a write waits until reads show it; then 503, and a repeat with the same key waits again. */
const PATIENCE_MS = 5_000;

const readsOf = (visibility: Visibility): Reads => ({
  show: (place: Place) => visibility.settled([place], Date.now() + PATIENCE_MS),
});

/** What clients see. */
@Module({
  imports: [AuthModule, ProjectModule, AreaModule, CheckModule],
  providers: [
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_INTERCEPTOR, useClass: WriteInterceptor },
    { provide: APP_PIPE, useFactory: validationPipe },
    { provide: IdempotencyStore, useFactory: (pool: pg.Pool) => new IdempotencyStore(pool), inject: [DATABASE] },
    { provide: READS, useFactory: readsOf, inject: [Visibility] },
  ],
})
export class HttpModule {}
