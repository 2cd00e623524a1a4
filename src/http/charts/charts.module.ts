import { Module } from '@nestjs/common';
import { SwitchBadgeHandler } from '../../commands/badge/switch-badge.command.ts';
import { KnownUptimeHandler } from '../../projections/read-models/uptime/known-uptime.query.ts';
import { BadgeController } from './badge.controller.ts';
import { BadgeLinks } from './badge-links.ts';
import { ChartsController } from './charts.controller.ts';

/** The queries for reports stand with the modules of uptime and response times. */
@Module({ controllers: [ChartsController, BadgeController], providers: [BadgeLinks, KnownUptimeHandler, SwitchBadgeHandler] })
export class ChartsModule {}
