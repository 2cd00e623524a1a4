import { Module } from '@nestjs/common';
import { CheckModule } from '../check/check.module.ts';
import { RulesGateModule } from './rules-gate.module.ts';
import { TrialController } from './trial.controller.ts';
import { WhatIfController } from './what-if.controller.ts';

@Module({ imports: [CheckModule, RulesGateModule], controllers: [TrialController, WhatIfController] })
export class TrialModule {}
