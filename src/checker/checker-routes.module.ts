import { Global, Module } from '@nestjs/common';
import { PastInput } from './trial/past-input.ts';
import { RuleValidation } from '../projects/checks/rule-validation.ts';
import { TrialService } from './trial/trial.service.ts';
import { AccountsRoutesModule } from '../accounts/accounts-routes.module.ts';
import { CorrectionController } from './corrections/correction.controller.ts';
import { Confirmations } from './jobs/confirmations.ts';
import { JobList, JobReading } from './jobs/job-reading.ts';
import { JobStart } from './jobs/job-start.ts';
import { JobWait } from './jobs/job-wait.ts';
import { JobController, TestResultsController } from './jobs/job.controller.ts';
import { TestResults } from './jobs/test-results.ts';
import { StatusReading } from './status/status-reading.ts';
import { StatusController } from './status/status.controller.ts';
import { TrialController, WhatIfController } from './trial/trial.controller.ts';
import { ProjectsRoutesModule } from '../projects/projects-routes.module.ts';

/** Validates rules before they are saved and tries them on the current site or on stored answers. */
@Global()
@Module({
  providers: [
    TrialService,
    PastInput,
    {
      provide: RuleValidation,
      useFactory: (trials: TrialService) => new RuleValidation((expressions) => trials.syntaxProblems(expressions)),
      inject: [TrialService],
    },
  ],
  exports: [TrialService, PastInput, RuleValidation],
})
class RuleValidationModule {}

/** Jobs, verdicts, trials and corrections, as routes; the checker itself is composed in app/checker-runtime. */
@Module({
  imports: [AccountsRoutesModule, ProjectsRoutesModule, RuleValidationModule],
  controllers: [JobController, TestResultsController, StatusController, TrialController, WhatIfController, CorrectionController],
  providers: [Confirmations, JobStart, JobReading, JobWait, JobList, TestResults, StatusReading],
})
export class CheckerRoutesModule {}
