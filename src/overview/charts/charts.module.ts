import { Module } from '@nestjs/common';
import { BadgeController, BadgeLinks } from './badge.controller.ts';
import { ChartsController } from './charts.controller.ts';

@Module({ controllers: [ChartsController, BadgeController], providers: [BadgeLinks] })
export class ChartsModule {}
