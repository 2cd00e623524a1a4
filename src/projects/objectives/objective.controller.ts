import { Body, Controller, Delete, Get, Patch, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { PatchObjective, SetObjective } from './objective.commands.ts';
import { noObjective } from './objective.settings.ts';
import { objectiveView, objectiveTag, objectiveThing } from './objective.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { IfMatch } from '../../platform/http/conditions/if-match.ts';
import { CurrentContext, ShownSettings, type ShowTag } from '../../platform/http/context/decorators.ts';
import { CurrentProject, type ProjectAccess } from '../request-project.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { success } from '../../platform/http/presentation/answers.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';
import { type ObjectiveAnswer, fieldsOfObjective, SetObjectiveDto, toObjective } from './objective.api.ts';

/** The objective, the methods and the credits that statements are computed with (docs/spec/beyond.md#B17). */
@Controller('project/:id/objective')
export class ObjectiveController {
  constructor(
    private readonly commands: CommandBus,
    private readonly views: ViewsAt,
  ) {}

  @Get()
  @Needs(projectRight('read'))
  async read(@CurrentProject() { projectId }: ProjectAccess, @ShownSettings() show?: ShowTag): Promise<ObjectiveAnswer> {
    const row = await this.views.now().get(objectiveView, projectId);
    show?.(objectiveTag(projectId, row));
    const { setAt = null, event = null } = row ?? {};
    return { ...fieldsOfObjective(row ?? noObjective), setAt, event };
  }

  @Put()
  @IfMatch(objectiveThing)
  @Needs(projectRight('edit'))
  async set(
    @CurrentProject() access: ProjectAccess,
    @CurrentContext() context: RequestContext,
    @Body() body: SetObjectiveDto,
  ): Promise<ObjectiveAnswer> {
    await this.commands.execute(new SetObjective(context, { projectId: access.projectId, wanted: toObjective(body) }));
    await context.waitUntilVisible();
    return this.read(access);
  }

  @Patch()
  @IfMatch(objectiveThing)
  @Needs(projectRight('edit'))
  async patch(
    @CurrentProject() access: ProjectAccess,
    @CurrentContext() context: RequestContext,
    @Body() patch: unknown,
  ): Promise<ObjectiveAnswer> {
    await this.commands.execute(new PatchObjective(context, { projectId: access.projectId, patch }));
    await context.waitUntilVisible();
    return this.read(access);
  }

  @Delete()
  @IfMatch(objectiveThing)
  @Needs(projectRight('edit'))
  async remove(@CurrentProject() { projectId }: ProjectAccess, @CurrentContext() context: RequestContext): Promise<object> {
    await this.commands.execute(new SetObjective(context, { projectId, wanted: null }));
    return success;
  }
}
