import { Module } from '@nestjs/common';
import { ChangeAreaHandler } from '../../commands/area/change-area.command.ts';
import { CreateAreaHandler } from '../../commands/area/create-area.command.ts';
import { DeleteAreaHandler } from '../../commands/area/delete-area.command.ts';
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
