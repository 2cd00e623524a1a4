import { Module } from '@nestjs/common';
import { PastInput } from './past-input.ts';
import { TrialService } from './trial.service.ts';

/** Validates rules before they are saved and tries them on the current site or on stored answers. */
@Module({ providers: [TrialService, PastInput], exports: [TrialService, PastInput] })
export class RuleValidationModule {}
