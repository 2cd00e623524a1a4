import { Module } from '@nestjs/common';
import { CancelMaintenanceHandler } from '../../commands/maintenance/cancel-maintenance.command.ts';
import { ScheduleMaintenanceHandler } from '../../commands/maintenance/schedule-maintenance.command.ts';
import { MaintenanceController } from './maintenance.controller.ts';

@Module({
  controllers: [MaintenanceController],
  providers: [ScheduleMaintenanceHandler, CancelMaintenanceHandler],
})
export class MaintenanceModule {}
