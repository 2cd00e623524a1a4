import { Body, Controller, Delete, Get, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { SetImportedUptime } from './imported-uptime.commands.ts';
import { importedUptimeView } from './imported-uptime.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { CurrentContext } from '../../platform/http/context/decorators.ts';
import { CurrentProject, type ProjectAccess } from '../../projects/request-project.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { success } from '../../platform/http/presentation/answers.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';
import { type ImportedUptimeAnswer, ImportedUptimeDto } from './imported-uptime.api.ts';
import { presentImportedUptime } from './imported-uptime.presenter.ts';

/** docs/spec/beyond.md#B11. */
@Controller('project/:id/imported-uptime')
export class ImportedUptimeController {
  constructor(
    private readonly commands: CommandBus,
    private readonly views: ViewsAt,
  ) {}

  @Get()
  @Needs(projectRight('read'))
  async read(@CurrentProject() { projectId }: ProjectAccess): Promise<ImportedUptimeAnswer> {
    return presentImportedUptime(await this.views.now().get(importedUptimeView, projectId));
  }

  @Put()
  @Needs(projectRight('edit'))
  async set(
    @CurrentProject() access: ProjectAccess,
    @CurrentContext() context: RequestContext,
    @Body() { origin, from, up, down }: ImportedUptimeDto,
  ): Promise<ImportedUptimeAnswer> {
    await this.commands.execute(new SetImportedUptime(context, { projectId: access.projectId, days: { origin, from, up, down } }));
    await context.waitUntilVisible();
    return this.read(access);
  }

  @Delete()
  @Needs(projectRight('edit'))
  async remove(@CurrentProject() { projectId }: ProjectAccess, @CurrentContext() context: RequestContext): Promise<object> {
    await this.commands.execute(new SetImportedUptime(context, { projectId, days: null }));
    return success;
  }
}
