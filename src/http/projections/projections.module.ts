import { Module } from '@nestjs/common';
import { VoidEventHandler } from '../../commands/system/void-event.command.ts';
import { ProjectionsController } from './projections.controller.ts';

@Module({ controllers: [ProjectionsController], providers: [VoidEventHandler] })
export class ProjectionsModule {}
