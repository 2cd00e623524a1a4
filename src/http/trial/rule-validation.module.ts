import { Module } from '@nestjs/common';
import { PastInput } from './past-input.ts';
import { TrialService } from './trial.service.ts';

/** Reads rules before they are saved, and tries them, on the site of now and on what was kept of the past. */
@Module({ providers: [TrialService, PastInput], exports: [TrialService, PastInput] })
export class RuleValidationModule {}
