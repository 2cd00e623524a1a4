import { Module } from '@nestjs/common';
import { RuleValidationModule } from '../../checker/trial/rule-validation.module.ts';
import { CheckModule } from '../checks/check.module.ts';
import { AreaController } from './area.controller.ts';
import { AreaFactsReader } from './area-facts.ts';
import { AreaReading } from './area-reading.ts';
import { AreaSettingsInput } from './area-settings.ts';
import { FormHtml } from './form-html.ts';

@Module({
  imports: [CheckModule, RuleValidationModule],
  controllers: [AreaController],
  exports: [AreaSettingsInput, FormHtml],
  providers: [AreaFactsReader, AreaReading, AreaSettingsInput, FormHtml],
})
export class AreaModule {}
