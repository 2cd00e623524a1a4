import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.ts';
import { AbandonedWork, ProjectSlotCleanup } from './abandoned-work/abandoned-work.ts';
import { ExpiredAccountRows, UnfinishedAccountWork } from './abandoned-work/unfinished-account-work.ts';

/** The process manager of deadlines. */
@Module({
  imports: [AccountsModule],
  providers: [ProjectSlotCleanup, ExpiredAccountRows, UnfinishedAccountWork, AbandonedWork],
  exports: [UnfinishedAccountWork, AbandonedWork],
})
export class OperationsModule {}
