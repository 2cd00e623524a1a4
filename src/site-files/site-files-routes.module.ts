import { Module } from '@nestjs/common';
import { AccountsRoutesModule } from '../accounts/accounts-routes.module.ts';
import { HistoryRoutesModule } from '../history/history-routes.module.ts';
import { ProjectsRoutesModule } from '../projects/projects-routes.module.ts';
import { BatchRun } from './batch/batch-run.ts';
import { BatchController } from './batch/batch.controller.ts';
import { ForeignChangesReading } from './foreign-changes.ts';
import { RuleHistory } from './rule-history.ts';
import { SiteApplier } from './site-applier.ts';
import { SiteFilesController } from './site-files.controller.ts';
import { SiteFinder } from './site-finder.ts';
import { SiteMembers } from './site-members.ts';
import { SitePlanner } from './site-planner.ts';
import { SiteReading } from './site-reading.ts';
import { StatusPageApplier } from './status-page-applier.ts';
import { StatusPageFiles } from './status-page-files.ts';
import { StatusPageItems } from './status-page-items.ts';
import { StatusPagePlanner } from './status-page-planner.ts';
import { StatusPagesRoutesModule } from '../status-pages/status-pages-routes.module.ts';

/** Configuration as code, and many changes with one request. */
@Module({
  imports: [ProjectsRoutesModule, HistoryRoutesModule, StatusPagesRoutesModule, AccountsRoutesModule],
  controllers: [SiteFilesController, BatchController],
  providers: [
    ...[ForeignChangesReading, RuleHistory, SiteApplier, SiteFinder, SiteMembers, SitePlanner, SiteReading],
    ...[StatusPageApplier, StatusPageFiles, StatusPageItems, StatusPagePlanner],
    BatchRun,
  ],
})
export class SiteFilesRoutesModule {}
