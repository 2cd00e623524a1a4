import { Module } from '@nestjs/common';
import { AuthModule } from '../../accounts/sign-in/auth.module.ts';
import { CheckModule } from '../../projects/checks/check.module.ts';
import { RuleValidationModule } from './rule-validation.module.ts';
import { TrialController } from './trial.controller.ts';
import { WhatIfController } from './what-if.controller.ts';

@Module({ imports: [AuthModule, CheckModule, RuleValidationModule], controllers: [TrialController, WhatIfController] })
export class TrialModule {}
