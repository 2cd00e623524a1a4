import { Module } from '@nestjs/common';
import { TrialService } from './trial.service.ts';

/** Reads rules before they are saved, and tries them. */
@Module({ providers: [TrialService], exports: [TrialService] })
export class RulesGateModule {}
