import { Module } from '@nestjs/common';
import { CorrectCheckHandler } from '../../commands/check/correct-check.command.ts';
import { RulesGateModule } from '../trial/rules-gate.module.ts';
import { CheckUptimeController } from './check-uptime.controller.ts';
import { CorrectionsController } from './corrections.controller.ts';

@Module({
  imports: [RulesGateModule],
  controllers: [CorrectionsController, CheckUptimeController],
  providers: [CorrectCheckHandler],
})
export class CorrectionsModule {}
