import { Module } from '@nestjs/common';
import { SwitchBadgeHandler } from './badge/badge.commands.ts';

/** The command of the badge. */
@Module({
  providers: [SwitchBadgeHandler],
})
export class OverviewModule {}
