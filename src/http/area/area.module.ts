import { Module } from '@nestjs/common';
import { ChangeAreaHandler, CreateAreaHandler, DeleteAreaHandler } from '../../commands/area.commands.ts';
import { RuleValidationModule } from '../trial/rule-validation.module.ts';
import { AreaController } from './area.controller.ts';
import { AreaFactsReader } from './area-facts.ts';
import { AreaReading } from './area-reading.ts';
import { AreaSettingsInput } from './area-settings.ts';

@Module({
  imports: [RuleValidationModule],
  controllers: [AreaController],
  providers: [AreaFactsReader, AreaReading, AreaSettingsInput, CreateAreaHandler, ChangeAreaHandler, DeleteAreaHandler],
})
export class AreaModule {}
