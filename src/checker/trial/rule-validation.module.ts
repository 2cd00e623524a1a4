import { Global, Module } from '@nestjs/common';
import { PastInput } from './past-input.ts';
import { RuleValidation } from '../../projects/checks/rule-validation.ts';
import { TrialService } from './trial.service.ts';

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
export class RuleValidationModule {}
