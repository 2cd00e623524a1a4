import { Module } from '@nestjs/common';
import { FailuresByHourController } from './failures-by-hour.controller.ts';

@Module({ controllers: [FailuresByHourController] })
export class FailuresByHourModule {}
