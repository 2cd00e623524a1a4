import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Put, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ChangeCheck, CreateCheck, DeleteCheck } from './check.commands.ts';
import { type CheckRow, checkTag, checkThing } from './check.view.ts';
import { IfMatch } from '../../platform/http/conditions/if-match.ts';
import { CurrentContext, CurrentList, ShownSettings, type ShowTag } from '../../platform/http/context/decorators.ts';
import { CurrentCheck, CurrentProject, type ProjectAccess } from '../request-project.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import type { ListPage, ListRequest } from '../../platform/http/lists/list.ts';
import { DeletedAnswer } from '../../platform/http/idempotency/keyed-writes.ts';
import { CheckDto, CreateCheckQuery } from './check.api.ts';
import { CheckReading } from './check-reading.ts';
import { CheckSettingsInput, initialFieldsOf } from './check-settings.ts';
import { readInput } from '../../platform/http/validation/input.ts';
import { withInitial } from '../../platform/http/validation/merge-patch.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';

/** docs/spec/interface.md#tests-checks: the body of a deletion. */
const testDeleted = { message: 'The test was deleted.', success: true, error: false } as const;

/** docs/spec/interface.md#tests-checks. `/tests/:id` is the same as `/test/:id` (docs/spec/decisions.md#T1). */
@Controller()
export class CheckController {
  constructor(
    private readonly commands: CommandBus,
    private readonly reading: CheckReading,
    private readonly input: CheckSettingsInput,
  ) {}

  @Get('project/:id/tests')
  @Needs(projectRight('read'))
  list(@CurrentProject() { row }: ProjectAccess, @CurrentList() request: ListRequest): Promise<ListPage> {
    return this.reading.ofProject(row, request);
  }

  @Post(['project/:id/tests', 'test', 'tests'])
  @Needs(projectRight('editTests'))
  @HttpCode(200)
  async create(
    @CurrentProject() { projectId, row }: ProjectAccess,
    @CurrentContext() context: RequestContext,
    @Body() dto: CheckDto,
    @Query() query: CreateCheckQuery,
  ): Promise<object> {
    const settings = await this.input.created(dto, row);
    const checkId = await this.commands.execute(
      new CreateCheck(context, { projectId, areaId: dto.areaId ?? query.areaId ?? null, settings }),
    );
    await context.waitUntilVisible();
    return this.reading.one(checkId, row);
  }

  @Get(['test/:id', 'tests/:id'])
  @Needs(projectRight('read'))
  read(@CurrentProject() { row }: ProjectAccess, @CurrentCheck() check: CheckRow, @ShownSettings() show: ShowTag): Promise<object> {
    return this.reading.one(check.id, row, (shown) => {
      show(checkTag(shown.id, shown));
    });
  }

  @Put(['test/:id', 'tests/:id'])
  @IfMatch(checkThing)
  @Needs(projectRight('editTests', { unknown: 404 }))
  async update(
    @CurrentProject() { projectId, row }: ProjectAccess,
    @CurrentCheck() check: CheckRow,
    @CurrentContext() context: RequestContext,
    @Body() dto: CheckDto,
  ): Promise<object> {
    const wanted = await this.input.changed(dto, row, check.settings);
    const moved = dto.areaId === undefined ? {} : { areaId: dto.areaId };
    await this.commands.execute(new ChangeCheck(context, { projectId, checkId: check.id, wanted: { ...wanted, ...moved } }));
    await context.waitUntilVisible();
    return this.reading.one(check.id, row);
  }

  @Patch(['test/:id', 'tests/:id'])
  @IfMatch(checkThing)
  @Needs(projectRight('editTests', { unknown: 404 }))
  patch(
    @CurrentProject() access: ProjectAccess,
    @CurrentCheck() check: CheckRow,
    @CurrentContext() context: RequestContext,
    @Body() patch: unknown,
  ): Promise<object> {
    return this.update(access, check, context, readInput(CheckDto, withInitial(patch, initialFieldsOf(check.settings))));
  }

  @Delete(['test/:id', 'tests/:id'])
  @IfMatch(checkThing)
  @DeletedAnswer(testDeleted)
  @Needs(projectRight('editTests', { unknown: 404 }))
  async remove(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentCheck() check: CheckRow,
    @CurrentContext() context: RequestContext,
  ): Promise<object> {
    await this.commands.execute(new DeleteCheck(context, { projectId, checkId: check.id }));
    return testDeleted;
  }
}
