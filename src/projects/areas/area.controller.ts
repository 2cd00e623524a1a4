import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ChangeArea, CreateArea, DeleteArea } from './area.commands.ts';
import { type AreaRow, areaTag, areaThing } from './area.view.ts';
import { IfMatch } from '../../platform/http/conditions/if-match.ts';
import { CurrentContext, CurrentList, ShownSettings, type ShowTag } from '../../platform/http/context/decorators.ts';
import { CurrentArea, CurrentProject, type ProjectAccess } from '../request-project.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import type { ListPage, ListRequest } from '../../platform/http/lists/list.ts';
import { success } from '../../platform/http/presentation/answers.ts';
import { AreaDto } from './area.api.ts';
import { AreaReading } from './area-reading.ts';
import { AreaSettingsInput, initialArea, refuseToRemoveSecrets } from './area-settings.ts';
import { readInput } from '../../platform/http/validation/input.ts';
import { withInitial } from '../../platform/http/validation/merge-patch.ts';
import { FormHtml } from './form-html.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';

@Controller()
export class AreaController {
  constructor(
    private readonly commands: CommandBus,
    private readonly reading: AreaReading,
    private readonly input: AreaSettingsInput,
    private readonly html: FormHtml,
  ) {}

  @Get('project/:id/areas')
  @Needs(projectRight('read'))
  list(@CurrentProject() { row }: ProjectAccess, @CurrentList() request: ListRequest): Promise<ListPage> {
    return this.reading.ofProject(row, request);
  }

  @Post('project/:id/areas')
  @Needs(projectRight('editTests'))
  @HttpCode(200)
  async create(
    @CurrentProject() { projectId, row }: ProjectAccess,
    @CurrentContext() context: RequestContext,
    @Body() dto: AreaDto,
  ): Promise<object> {
    const areaId = await this.commands.execute(new CreateArea(context, { projectId, wanted: await this.input.created(dto, row) }));
    await this.html.keep(context, projectId, areaId, dto.form?.html);
    await context.waitUntilVisible();
    return this.reading.one(areaId, row);
  }

  @Get('area/:id')
  @Needs(projectRight('read'))
  read(@CurrentProject() { row }: ProjectAccess, @CurrentArea() area: AreaRow, @ShownSettings() show: ShowTag): Promise<object> {
    show(areaTag(area.id, area.settings));
    return this.reading.present(area, row);
  }

  @Put('area/:id')
  @IfMatch(areaThing)
  @Needs(projectRight('editTests', { unknown: 404 }))
  async update(
    @CurrentProject() { projectId, row }: ProjectAccess,
    @CurrentArea() area: AreaRow,
    @CurrentContext() context: RequestContext,
    @Body() dto: AreaDto,
  ): Promise<object> {
    const wanted = await this.input.changed(dto, row, area.settings.headers);
    await this.commands.execute(new ChangeArea(context, { projectId, areaId: area.id, wanted }));
    await this.html.keep(context, projectId, area.id, dto.form?.html);
    await context.waitUntilVisible();
    return this.reading.one(area.id, row);
  }

  @Patch('area/:id')
  @IfMatch(areaThing)
  @Needs(projectRight('editTests', { unknown: 404 }))
  patch(
    @CurrentProject() access: ProjectAccess,
    @CurrentArea() area: AreaRow,
    @CurrentContext() context: RequestContext,
    @Body() patch: unknown,
  ): Promise<object> {
    refuseToRemoveSecrets(patch);
    return this.update(access, area, context, readInput(AreaDto, withInitial(patch, initialArea)));
  }

  @Delete('area/:id')
  @IfMatch(areaThing)
  @Needs(projectRight('editTests', { unknown: 404 }))
  async remove(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentArea() area: AreaRow,
    @CurrentContext() context: RequestContext,
  ): Promise<object> {
    await this.commands.execute(new DeleteArea(context, { projectId, areaId: area.id }));
    await this.html.forget(projectId, area.id);
    return success;
  }
}
