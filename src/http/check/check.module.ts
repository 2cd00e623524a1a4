import { Module } from '@nestjs/common';
import { ChangeCheckModule } from '../../commands/check/change-check.module.ts';
import { CreateCheckHandler } from '../../commands/check/create-check.command.ts';
import { DeleteCheckHandler } from '../../commands/check/delete-check.command.ts';
import { RulesGateModule } from '../trial/rules-gate.module.ts';
import { CheckController } from './check.controller.ts';
import { CheckFactsReader } from './check-facts.ts';
import { CheckReading } from './check-reading.ts';
import { CheckSettingsInput } from './check-settings.ts';

@Module({
  imports: [ChangeCheckModule, RulesGateModule],
  controllers: [CheckController],
  exports: [CheckReading, CheckFactsReader, CheckSettingsInput],
  providers: [CheckFactsReader, CheckReading, CheckSettingsInput, CreateCheckHandler, DeleteCheckHandler],
})
export class CheckModule {}
