import { Module } from '@nestjs/common';
import { SkipForProjectionHandler } from '../../commands/system/skip-for-projection.command.ts';
import { VoidEventHandler } from '../../commands/system/void-event.command.ts';
import { ProjectionsController } from './projections.controller.ts';

@Module({ controllers: [ProjectionsController], providers: [VoidEventHandler, SkipForProjectionHandler] })
export class ProjectionsModule {}
