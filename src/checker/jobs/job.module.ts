import { Module } from '@nestjs/common';
import { AuthModule } from '../../accounts/sign-in/auth.module.ts';
import { BudgetsModule } from '../../accounts/budgets/budgets.module.ts';
import { Confirmations } from './confirmations.ts';
import { JobController } from './job.controller.ts';
import { JobList } from './job-list.ts';
import { JobReading } from './job-reading.ts';
import { JobStart } from './job-start.ts';
import { JobWait } from './job-wait.ts';
import { TestResultsController } from './test-results.controller.ts';
import { TestResults } from './test-results.ts';

@Module({
  imports: [AuthModule, BudgetsModule],
  controllers: [JobController, TestResultsController],
  providers: [Confirmations, JobStart, JobReading, JobWait, JobList, TestResults],
})
export class JobModule {}
