import { Module } from '@nestjs/common';
import { UptimeController } from './uptime.controller.ts';

@Module({ controllers: [UptimeController] })
export class UptimeModule {}
