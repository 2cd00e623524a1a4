import { Module } from '@nestjs/common';
import { AreaModule } from '../projects/areas/area.module.ts';
import { HistoryModule } from '../history/history.module.ts';
import { MemberModule } from '../projects/members/member.module.ts';
import { ProjectModule } from '../projects/project.module.ts';
import { StatusPageModule } from '../status-pages/status-page.module.ts';
import { RuleValidationModule } from '../checker/trial/rule-validation.module.ts';
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
