import { Module } from '@nestjs/common';
import { AreaModule } from '../area/area.module.ts';
import { HistoryModule } from '../history/history.module.ts';
import { MemberModule } from '../member/member.module.ts';
import { ProjectModule } from '../project/project.module.ts';
import { StatusPageModule } from '../status-page/status-page.module.ts';
import { RuleValidationModule } from '../trial/rule-validation.module.ts';
import { ForeignChangesReading } from './foreign-changes.ts';
import { RuleHistory } from './rule-history.ts';
import { SiteApplier } from './site-applier.ts';
import { SiteFilesController } from './site-files.controller.ts';
import { SiteFinder } from './site-finder.ts';
import { SiteMembers } from './site-members.ts';
import { SiteReading } from './site-reading.ts';
import { SitePlanner } from './site-planner.ts';
import { StatusPageApplier } from './status-page-applier.ts';
import { StatusPageFiles } from './status-page-files.ts';
import { StatusPageItems } from './status-page-items.ts';
import { StatusPagePlanner } from './status-page-planner.ts';

@Module({
  imports: [AreaModule, HistoryModule, MemberModule, ProjectModule, RuleValidationModule, StatusPageModule],
  controllers: [SiteFilesController],
  providers: [
    ...[ForeignChangesReading, RuleHistory, SiteApplier, SiteFinder, SiteMembers, SitePlanner, SiteReading],
    ...[StatusPageApplier, StatusPageFiles, StatusPageItems, StatusPagePlanner],
  ],
})
export class SiteFilesModule {}
