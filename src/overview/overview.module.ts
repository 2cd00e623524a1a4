import { Module } from '@nestjs/common';
import { HistoryModule } from '../history/history.module.ts';
import { ProjectModule } from '../projects/project.module.ts';
import { FiguresReading } from './figures-reading.ts';
import { OverviewController } from './overview.controller.ts';
import { OverviewReading } from './overview-reading.ts';
import { MarksReading } from './marks-reading.ts';
import { ProblemEvents } from './problem-events.ts';

@Module({
  imports: [HistoryModule, ProjectModule],
  controllers: [OverviewController],
  providers: [FiguresReading, MarksReading, OverviewReading, ProblemEvents],
})
export class OverviewModule {}
