import { Body, Controller, Delete, Get, Inject, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { SetImportedUptime } from '../../commands/imported-uptime.commands.ts';
import { importedUptimeView } from '../../projections/read-models/imported-uptime/imported-uptime.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { CurrentContext, CurrentProject } from '../context/decorators.ts';
import type { RequestContext } from '../context/request-context.ts';
import type { ProjectAccess } from '../context/request-state.ts';
import { success } from '../presentation/answers.ts';
import { Needs } from '../rights/needs.ts';
import { projectRight } from '../rights/right.ts';
import type { ImportedUptimeAnswer } from './imported-uptime.description.ts';
import { ImportedUptimeDto } from './imported-uptime.dto.ts';
import { presentImportedUptime } from './imported-uptime.presenter.ts';

/** docs/spec/beyond.md#B11. */
@Controller('project/:id/imported-uptime')
export class ImportedUptimeController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
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
    await this.commands.execute(new SetImportedUptime(context, access.projectId, { origin, from, up, down }));
    await context.waitUntilVisible();
    return this.read(access);
  }

  @Delete()
  @Needs(projectRight('edit'))
  async remove(@CurrentProject() { projectId }: ProjectAccess, @CurrentContext() context: RequestContext): Promise<object> {
    await this.commands.execute(new SetImportedUptime(context, projectId, null));
    return success;
  }
}
