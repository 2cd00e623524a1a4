import { Module } from '@nestjs/common';
import { UptimeReportHandler } from '../../projections/read-models/uptime/uptime-report.query.ts';
import { UptimeController } from './uptime.controller.ts';

@Module({ controllers: [UptimeController], providers: [UptimeReportHandler] })
export class UptimeModule {}
