import { Module } from '@nestjs/common';
import { ApplySiteHandler, LoadSiteHandler } from './site.commands.ts';
import { AppendJointlyHandler } from '../platform/commands/joint-append.commands.ts';

/** The commands of site files and batches. */
@Module({
  providers: [...[ApplySiteHandler, LoadSiteHandler], ...[AppendJointlyHandler]],
})
export class SiteFilesModule {}
