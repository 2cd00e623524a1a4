import { Module } from '@nestjs/common';
import { HistoryModule } from '../history/history.module.ts';
import { BadgeController, BadgeLinks } from './charts/badge.controller.ts';
import { ChartsController } from './charts/charts.controller.ts';
import { FiguresReading } from './figures-reading.ts';
import { MarksReading } from './marks-reading.ts';
import { OverviewReading } from './overview-reading.ts';
import { OverviewController } from './overview.controller.ts';
import { ProblemEvents } from './problem-events.ts';
import { ProjectsModule } from '../projects/projects.module.ts';

/** Many sites at a glance: figures, charts, badge. */
@Module({
  imports: [HistoryModule, ProjectsModule],
  controllers: [OverviewController, ChartsController, BadgeController],
  providers: [FiguresReading, MarksReading, OverviewReading, ProblemEvents, BadgeLinks],
})
export class OverviewModule {}
