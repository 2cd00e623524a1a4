import { Module } from '@nestjs/common';
import { SwitchBadgeHandler } from '../../commands/badge.commands.ts';
import { BadgeController, BadgeLinks } from './badge.controller.ts';
import { ChartsController } from './charts.controller.ts';

@Module({ controllers: [ChartsController, BadgeController], providers: [BadgeLinks, SwitchBadgeHandler] })
export class ChartsModule {}
