import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { CancelMaintenance, ScheduleMaintenance } from './maintenance.commands.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { maintenanceView, type MaintenanceWindowRow, maintenanceTag, maintenanceThing } from './maintenance.view.ts';
import { requestNow } from '../../platform/http/as-of/as-of.ts';
import { IfMatch } from '../../platform/http/conditions/if-match.ts';
import { CurrentContext, ShownSettings, type ShowTag } from '../../platform/http/context/decorators.ts';
import { CurrentProject, type ProjectAccess } from '../request-project.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { NotFound } from '../../platform/http/errors/refusals.ts';
import { success } from '../../platform/http/presentation/answers.ts';
import { instantOf } from '../../platform/http/spans/instant-input.ts';
import { CancelMaintenanceDto, ScheduleMaintenanceDto } from './maintenance.api.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';
import { presentWindow } from './maintenance.presenter.ts';

/** Maintenance windows: probes continue, notifications are held back. */
@Controller('project/:id/maintenance')
export class MaintenanceController {
  constructor(
    private readonly commands: CommandBus,
    private readonly views: ViewsAt,
  ) {}

  @Get()
  @Needs(projectRight('read'))
  async list(@CurrentProject() { projectId }: ProjectAccess, @ShownSettings() show: ShowTag): Promise<readonly object[]> {
    const windows = await this.windows(projectId);
    show(maintenanceTag(projectId, windows));
    return windows.map((window) => presentWindow(window, requestNow()));
  }

  @Post()
  @IfMatch(maintenanceThing)
  @Needs(projectRight('edit'))
  @HttpCode(200)
  async schedule(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentContext() context: RequestContext,
    @Body() dto: ScheduleMaintenanceDto,
  ): Promise<object> {
    const [from, to] = [instantOf(dto.from, 'from'), instantOf(dto.to, 'to')];
    const { offsetMinutes } = from;
    const window = { from: from.at, to: to.at, offsetMinutes, note: dto.note ?? '', repeat: dto.repeat ?? null };
    const windowId = await this.commands.execute(new ScheduleMaintenance(context, { projectId, window }));
    await context.waitUntilVisible();
    const scheduled = (await this.windows(projectId)).find((one) => one.windowId === windowId);
    if (scheduled === undefined) throw new NotFound();
    return presentWindow(scheduled, requestNow());
  }

  @Delete(':windowId')
  @IfMatch(maintenanceThing)
  @Needs(projectRight('edit'))
  async cancel(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentContext() context: RequestContext,
    @Param('windowId') windowId: string,
  ): Promise<object> {
    await this.commands.execute(new CancelMaintenance(context, { projectId, windowId }));
    return success;
  }

  /** The same with the id in the body or the query. */
  @Delete()
  @IfMatch(maintenanceThing)
  @Needs(projectRight('edit'))
  async cancelNamed(
    @CurrentProject() access: ProjectAccess,
    @CurrentContext() context: RequestContext,
    @Body() body: CancelMaintenanceDto,
    @Query('id') id: unknown,
  ): Promise<object> {
    const windowId = body.id ?? (typeof id === 'string' ? id : '');
    if (windowId === '') throw new InvalidInput('id: must be the id of the window to cancel');
    return this.cancel(access, context, windowId);
  }

  private async windows(projectId: string): Promise<readonly MaintenanceWindowRow[]> {
    return (await this.views.now().get(maintenanceView, projectId))?.windows ?? [];
  }
}
