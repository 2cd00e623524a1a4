import { Module } from '@nestjs/common';
import { CorrectCheckHandler } from '../../commands/check/correct-check.command.ts';
import { CheckCorrectionsHandler } from '../../projections/read-models/correction/check-corrections.query.ts';
import { CheckUptimeHandler } from '../../projections/read-models/correction/check-uptime.query.ts';
import { CheckVerdicts } from '../../projections/read-models/correction/check-verdicts.queries.ts';
import { CorrectedAtHandler } from '../../projections/read-models/correction/corrected-at.query.ts';
import { RulesGateModule } from '../trial/rules-gate.module.ts';
import { CheckUptimeController } from './check-uptime.controller.ts';
import { CorrectionsController } from './corrections.controller.ts';

@Module({
  imports: [RulesGateModule],
  controllers: [CorrectionsController, CheckUptimeController],
  providers: [CheckVerdicts, CorrectCheckHandler, CheckUptimeHandler, CheckCorrectionsHandler, CorrectedAtHandler],
})
export class CorrectionsModule {}
