import { Module } from '@nestjs/common';
import { CheckModule } from '../../projects/checks/check.module.ts';
import { StatusController } from './status.controller.ts';
import { StatusReading } from './status-reading.ts';

@Module({ imports: [CheckModule], controllers: [StatusController], providers: [StatusReading] })
export class StatusModule {}
