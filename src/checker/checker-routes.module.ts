import { Module } from '@nestjs/common';
import { AccountsRoutesModule } from '../accounts/accounts-routes.module.ts';
import { CorrectionController } from './corrections/correction.controller.ts';
import { Confirmations } from './jobs/confirmations.ts';
import { JobList } from './jobs/job-list.ts';
import { JobReading } from './jobs/job-reading.ts';
import { JobStart } from './jobs/job-start.ts';
import { JobWait } from './jobs/job-wait.ts';
import { JobController } from './jobs/job.controller.ts';
import { TestResultsController } from './jobs/test-results.controller.ts';
import { TestResults } from './jobs/test-results.ts';
import { StatusReading } from './status/status-reading.ts';
import { StatusController } from './status/status.controller.ts';
import { RuleValidationModule } from './trial/rule-validation.module.ts';
import { TrialController } from './trial/trial.controller.ts';
import { WhatIfController } from './trial/what-if.controller.ts';
import { ProjectsRoutesModule } from '../projects/projects-routes.module.ts';

/** Jobs, verdicts, trials and corrections, as routes; the checker itself is composed in app/checker-runtime. */
@Module({
  imports: [AccountsRoutesModule, ProjectsRoutesModule, RuleValidationModule],
  controllers: [JobController, TestResultsController, StatusController, TrialController, WhatIfController, CorrectionController],
  providers: [Confirmations, JobStart, JobReading, JobWait, JobList, TestResults, StatusReading],
})
export class CheckerRoutesModule {}
