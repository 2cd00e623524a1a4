import { Module } from '@nestjs/common';
import { ProjectModule } from '../project/project.module.ts';
import { FiguresReading } from './figures-reading.ts';
import { OverviewController } from './overview.controller.ts';
import { OverviewReading } from './overview-reading.ts';
import { ProblemEvents } from './problem-events.ts';

@Module({
  imports: [ProjectModule],
  controllers: [OverviewController],
  providers: [FiguresReading, OverviewReading, ProblemEvents],
})
export class OverviewModule {}
