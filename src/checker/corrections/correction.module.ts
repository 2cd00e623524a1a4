import { Module } from '@nestjs/common';
import { RuleValidationModule } from '../trial/rule-validation.module.ts';
import { CheckUptimeController } from '../../watches/uptime/check-uptime.controller.ts';
import { CorrectionController } from './correction.controller.ts';

@Module({
  imports: [RuleValidationModule],
  controllers: [CorrectionController, CheckUptimeController],
})
export class CorrectionModule {}
