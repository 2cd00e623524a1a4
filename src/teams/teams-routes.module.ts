import { Module } from '@nestjs/common';
import { AlertsModule } from '../alerts/alerts.module.ts';
import { ProjectionsController } from './projections/projections.controller.ts';

/** The state of projections, those of teams included. */
@Module({
  imports: [AlertsModule],
  controllers: [ProjectionsController],
})
export class TeamsRoutesModule {}
