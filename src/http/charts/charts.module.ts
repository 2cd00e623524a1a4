import { Module } from '@nestjs/common';
import { SwitchBadgeHandler } from '../../commands/badge/switch-badge.command.ts';
import { BadgeController } from './badge.controller.ts';
import { BadgeLinks } from './badge-links.ts';
import { ChartsController } from './charts.controller.ts';

@Module({ controllers: [ChartsController, BadgeController], providers: [BadgeLinks, SwitchBadgeHandler] })
export class ChartsModule {}
