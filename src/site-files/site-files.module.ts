import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.ts';
import { RuleValidationModule } from '../checker/trial/rule-validation.module.ts';
import { HistoryModule } from '../history/history.module.ts';
import { ProjectsModule } from '../projects/projects.module.ts';
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
import { StatusPagesModule } from '../status-pages/status-pages.module.ts';

/** Configuration as code, and many changes with one request. */
@Module({
  imports: [ProjectsModule, HistoryModule, RuleValidationModule, StatusPagesModule, AccountsModule],
  controllers: [SiteFilesController, BatchController],
  providers: [
    ...[ForeignChangesReading, RuleHistory, SiteApplier, SiteFinder, SiteMembers, SitePlanner, SiteReading],
    ...[StatusPageApplier, StatusPageFiles, StatusPageItems, StatusPagePlanner],
    BatchRun,
  ],
})
export class SiteFilesModule {}
