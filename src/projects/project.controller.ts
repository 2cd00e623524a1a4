import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ChangeSettings, DeleteProject } from './project.commands.ts';
import { IfMatch } from '../platform/http/conditions/if-match.ts';
import { CurrentContext, CurrentList, CurrentPrincipal, ShownSettings, type ShowTag } from '../platform/http/context/decorators.ts';
import { CurrentProject, type ProjectAccess } from './request-project.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import type { RequestContext } from '../platform/http/context/request-context.ts';
import { ListPage, type ListRequest } from '../platform/http/lists/list.ts';
import { success, unreadable } from '../platform/http/presentation/answers.ts';
import { ProjectCreation } from './project-creation.ts';
import { ProjectList } from './project-list.ts';
import { uptimeUrlOf } from './project.presenter.ts';
import { ProjectReading } from './project-reading.ts';
import { readTags } from './tags.ts';
import { UpdateProjectDto } from './project.api.ts';
import { settingsOf } from './writable-settings.dto.ts';
import { readInput } from '../platform/http/validation/input.ts';
import { removes, withInitial } from '../platform/http/validation/merge-patch.ts';
import { Needs } from '../accounts/rights/needs.ts';
import { callerRight, creatorRight, projectRight } from '../accounts/rights/right.ts';
import { projectTag, projectThing } from './project.view.ts';

@Controller()
export class ProjectController {
  constructor(
    private readonly commands: CommandBus,
    private readonly creation: ProjectCreation,
    private readonly list: ProjectList,
    private readonly reading: ProjectReading,
  ) {}

  @Post('project/create')
  @Needs(creatorRight)
  @HttpCode(200)
  createFromBody(@CurrentPrincipal() caller: Principal, @CurrentContext() context: RequestContext, @Body() body: unknown): Promise<object> {
    return this.creation.create(caller, context, body, 'body');
  }

  @Get('project/create')
  @Needs(creatorRight)
  createFromQuery(
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Query() query: unknown,
  ): Promise<object> {
    return this.creation.create(caller, context, query, 'query');
  }

  @Get('projects')
  @Needs(callerRight)
  async listProjects(
    @CurrentPrincipal() caller: Principal,
    @CurrentList() query: ListRequest,
    @Query('tag') tag: unknown,
  ): Promise<ListPage> {
    const { projects, parked, end } = await this.list.page(caller, query, { tags: readTags(tag) });
    const shown = await Promise.all(projects.map((listed) => this.reading.listed(listed, caller)));
    return new ListPage({ projects: shown, ...unreadable('project', parked) }, end);
  }

  @Get('project/:id')
  @Needs(projectRight('read', { unknown: 404, withFacts: true }))
  getProject(
    @CurrentProject() access: ProjectAccess,
    @CurrentPrincipal() caller: Principal,
    @ShownSettings() show: ShowTag,
  ): Promise<object> {
    show(projectTag(access.projectId, access.row.settings));
    return this.reading.inFull(access, caller);
  }

  @Put('project/:id')
  @IfMatch(projectThing)
  @Needs(projectRight('edit', { unknown: 404 }))
  async updateProject(
    @CurrentProject() { projectId, row }: ProjectAccess,
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Body() body: UpdateProjectDto,
  ): Promise<object> {
    const settings = settingsOf(body, { title: row.settings.title, uptimeUrl: uptimeUrlOf(row) });
    await this.creation.checkSettings(settings, row.settings, () => this.reading.planOf(row));
    await this.commands.execute(new ChangeSettings(context, { projectId, settings, by: userId }));
    return success;
  }

  @Patch('project/:id')
  @IfMatch(projectThing)
  @Needs(projectRight('edit', { unknown: 404 }))
  async patchProject(
    @CurrentProject() access: ProjectAccess,
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Body() patch: unknown,
  ): Promise<object> {
    const initial = removes(patch) ? await this.creation.initialFields(access.row, patch) : {};
    return this.updateProject(access, caller, context, readInput(UpdateProjectDto, withInitial(patch, initial)));
  }

  @Delete('project/:id')
  @IfMatch(projectThing)
  @Needs(projectRight('owner', { unknown: 404 }))
  async deleteProject(
    @Param('id') projectId: string,
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
  ): Promise<object> {
    await this.commands.execute(new DeleteProject(context, { projectId, by: userId }));
    return success;
  }
}
