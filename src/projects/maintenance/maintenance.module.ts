import { Module } from '@nestjs/common';
import { MaintenanceController } from './maintenance.controller.ts';

@Module({
  controllers: [MaintenanceController],
})
export class MaintenanceModule {}
