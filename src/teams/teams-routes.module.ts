import { Module } from '@nestjs/common';
import { AlertsModule } from '../alerts/alerts.module.ts';
import { ProjectionsController } from './projections/projections.controller.ts';
import { ReactorsController } from './reactors/reactors.controller.ts';
import { TeamsModule } from './teams.module.ts';

/** The state of projections and reactors, those of teams included. */
@Module({
  imports: [AlertsModule, TeamsModule],
  controllers: [ProjectionsController, ReactorsController],
})
export class TeamsRoutesModule {}
