import { Module } from '@nestjs/common';
import { CancelMaintenanceHandler, ScheduleMaintenanceHandler } from '../../commands/maintenance.commands.ts';
import { MaintenanceController } from './maintenance.controller.ts';

@Module({
  controllers: [MaintenanceController],
  providers: [ScheduleMaintenanceHandler, CancelMaintenanceHandler],
})
export class MaintenanceModule {}
