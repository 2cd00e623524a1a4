import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { RateLimiter } from '../accounts/sign-in/rate-limiter.ts';
import { ErrorFilter } from '../platform/http/errors/error.filter.ts';
import { LedgerController } from './ledger.controller.ts';
import { OpenRoutesGuard } from './open-routes.guard.ts';
import { WitnessController } from './witness.controller.ts';

/** `ROLES=witness`: an installation that cosigns the logs of others, and whose own log of agreements is cosigned in turn. It has no accounts. */
@Module({
  controllers: [LedgerController, WitnessController],
  providers: [
    { provide: RateLimiter, useFactory: ({ rateLimit }: Config) => new RateLimiter(rateLimit), inject: [CONFIG] },
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_GUARD, useClass: OpenRoutesGuard },
  ],
})
export class WitnessModule {}
