import { Module } from '@nestjs/common';
import { ImportedUptimeController } from './imported-uptime.controller.ts';

@Module({ controllers: [ImportedUptimeController] })
export class ImportedUptimeModule {}
