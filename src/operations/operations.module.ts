import { Module } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import pg from 'pg';
import { AccountsModule } from '../accounts/accounts.module.ts';
import { RunStore } from '../platform/observations/runs/run-store.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { AbandonedJobs, recordedIn } from './abandoned-work/abandoned-jobs.ts';
import { AbandonedWork } from './abandoned-work/abandoned-work.ts';
import { LostClaims } from './abandoned-work/lost-claims.ts';
import { ExpiredAccountRows, UnfinishedAccountWork } from './abandoned-work/unfinished-account-work.ts';
import { UnfinishedClaims } from './abandoned-work/unfinished-claims.ts';

const abandonedJobs = {
  provide: AbandonedJobs,
  useFactory: (pool: pg.Pool, views: ViewsAt, runs: RunStore, end: CommandBus) =>
    new AbandonedJobs({ recorded: recordedIn(pool), views: views.now(), runs, end }),
  inject: [pg.Pool, ViewsAt, RunStore, CommandBus],
};

/** The process manager of deadlines. */
@Module({
  imports: [AccountsModule],
  providers: [ExpiredAccountRows, UnfinishedAccountWork, UnfinishedClaims, LostClaims, abandonedJobs, AbandonedWork],
  exports: [UnfinishedAccountWork, AbandonedWork],
})
export class OperationsModule {}
