import { Module } from '@nestjs/common';
import { RuleValidationModule } from '../../checker/trial/rule-validation.module.ts';
import { CheckController } from './check.controller.ts';
import { CheckFactsReader } from './check-facts.ts';
import { CheckReading } from './check-reading.ts';
import { CheckSettingsInput } from './check-settings.ts';
import { SavedBody } from './saved-body.ts';
import { SavedHeaders } from './saved-headers.ts';

@Module({
  imports: [RuleValidationModule],
  controllers: [CheckController],
  exports: [CheckReading, CheckFactsReader, CheckSettingsInput, SavedHeaders],
  providers: [CheckFactsReader, CheckReading, CheckSettingsInput, SavedBody, SavedHeaders],
})
export class CheckModule {}
