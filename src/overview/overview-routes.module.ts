import { Module } from '@nestjs/common';
import { AlertsModule } from '../alerts/alerts.module.ts';
import { HistoryRoutesModule } from '../history/history-routes.module.ts';
import { BadgeController, BadgeLinks } from './charts/badge.controller.ts';
import { ChartsController } from './charts/charts.controller.ts';
import { FiguresReading } from './figures-reading.ts';
import { MarksReading } from './marks-reading.ts';
import { OverviewReading } from './overview-reading.ts';
import { OverviewController } from './overview.controller.ts';
import { ProblemEvents } from './problem-events.ts';
import { ProjectsRoutesModule } from '../projects/projects-routes.module.ts';

/** Many sites at a glance: figures, charts, badge. */
@Module({
  imports: [AlertsModule, HistoryRoutesModule, ProjectsRoutesModule],
  controllers: [OverviewController, ChartsController, BadgeController],
  providers: [FiguresReading, MarksReading, OverviewReading, ProblemEvents, BadgeLinks],
})
export class OverviewRoutesModule {}
