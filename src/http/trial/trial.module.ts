import { Module } from '@nestjs/common';
import { CheckModule } from '../check/check.module.ts';
import { RulesGateModule } from './rules-gate.module.ts';
import { TrialController } from './trial.controller.ts';

@Module({ imports: [CheckModule, RulesGateModule], controllers: [TrialController] })
export class TrialModule {}
