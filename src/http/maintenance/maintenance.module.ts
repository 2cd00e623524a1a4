import { Module } from '@nestjs/common';
import { CancelMaintenanceHandler } from '../../commands/maintenance/cancel-maintenance.command.ts';
import { ScheduleMaintenanceHandler } from '../../commands/maintenance/schedule-maintenance.command.ts';
import { MaintenanceWithinHandler } from '../../projections/read-models/maintenance/maintenance-within.query.ts';
import { MaintenanceController } from './maintenance.controller.ts';

@Module({
  controllers: [MaintenanceController],
  providers: [ScheduleMaintenanceHandler, CancelMaintenanceHandler, MaintenanceWithinHandler],
})
export class MaintenanceModule {}
