import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ChangeIncident, type IncidentChange } from './incident.commands.ts';
import { incidentsView } from './incidents.view.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { CurrentContext, CurrentPrincipal } from '../platform/http/context/decorators.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import type { RequestContext } from '../platform/http/context/request-context.ts';
import { NotFound } from '../platform/http/errors/refusals.ts';
import { success } from '../platform/http/presentation/answers.ts';
import { Needs } from '../accounts/rights/needs.ts';
import { callerRight, editorRight } from '../accounts/rights/right.ts';
import type { IncidentAnswer } from './status-page.api.ts';
import { IncidentDraftDto, IncidentUpdateEditDto, NewIncidentDto, NewIncidentUpdateDto } from './status-page.dto.ts';
import { presentIncident } from './status-page.presenter.ts';
import { StatusPageRights } from './status-page-rights.ts';

/** The incidents of a status page (docs/spec/beyond.md#B14). */
@Controller('status-pages/:id/incidents')
@Needs(editorRight)
export class IncidentController {
  constructor(
    private readonly commands: CommandBus,
    private readonly views: ViewsAt,
    private readonly rights: StatusPageRights,
  ) {}

  @Get()
  @Needs(callerRight)
  async list(@CurrentPrincipal() principal: Principal, @Param('id') pageId: string): Promise<readonly IncidentAnswer[]> {
    await this.rights.requirePage(principal, pageId);
    return ((await this.views.now().get(incidentsView, pageId))?.incidents ?? []).map(presentIncident);
  }

  @Post()
  @HttpCode(200)
  open(
    @CurrentPrincipal() principal: Principal,
    @CurrentContext() context: RequestContext,
    @Param('id') pageId: string,
    @Body() { title, text, state, items, draft }: NewIncidentDto,
  ): Promise<IncidentAnswer> {
    return this.change(principal, context, pageId, { kind: draft ? 'draft' : 'open', words: { title, text, state, items } });
  }

  @Put(':incidentId')
  changeDraft(
    @CurrentPrincipal() principal: Principal,
    @CurrentContext() context: RequestContext,
    @Param('id') pageId: string,
    @Param('incidentId') incidentId: string,
    @Body() { title, text, state, items }: IncidentDraftDto,
  ): Promise<IncidentAnswer> {
    return this.change(principal, context, pageId, { kind: 'change draft', incidentId, words: { title, text, state, items } });
  }

  @Delete(':incidentId')
  async discard(
    @CurrentPrincipal() principal: Principal,
    @CurrentContext() context: RequestContext,
    @Param('id') pageId: string,
    @Param('incidentId') incidentId: string,
  ): Promise<object> {
    await this.execute(principal, context, pageId, { kind: 'discard draft', incidentId });
    return success;
  }

  @Post(':incidentId/publish')
  @HttpCode(200)
  publish(
    @CurrentPrincipal() principal: Principal,
    @CurrentContext() context: RequestContext,
    @Param('id') pageId: string,
    @Param('incidentId') incidentId: string,
  ): Promise<IncidentAnswer> {
    return this.change(principal, context, pageId, { kind: 'publish', incidentId });
  }

  @Post(':incidentId/updates')
  @HttpCode(200)
  update(
    @CurrentPrincipal() principal: Principal,
    @CurrentContext() context: RequestContext,
    @Param('id') pageId: string,
    @Param('incidentId') incidentId: string,
    @Body() { text, state }: NewIncidentUpdateDto,
  ): Promise<IncidentAnswer> {
    return this.change(principal, context, pageId, { kind: 'update', incidentId, text, state });
  }

  @Put(':incidentId/updates/:updateId')
  edit(
    @CurrentPrincipal() principal: Principal,
    @CurrentContext() context: RequestContext,
    @Param('id') pageId: string,
    @Param('incidentId') incidentId: string,
    @Param('updateId') updateId: string,
    @Body() { text: to }: IncidentUpdateEditDto,
  ): Promise<IncidentAnswer> {
    return this.change(principal, context, pageId, { kind: 'edit', incidentId, updateId, to });
  }

  private async execute(principal: Principal, context: RequestContext, pageId: string, change: IncidentChange): Promise<string> {
    await this.rights.requirePage(principal, pageId);
    return this.commands.execute(new ChangeIncident(context, { pageId, change }));
  }

  private async change(principal: Principal, context: RequestContext, pageId: string, change: IncidentChange): Promise<IncidentAnswer> {
    const incidentId = await this.execute(principal, context, pageId, change);
    await context.waitUntilVisible();
    const found = (await this.views.now().get(incidentsView, pageId))?.incidents.find((one) => one.incidentId === incidentId);
    if (found === undefined) throw new NotFound('The incident was not found.');
    return presentIncident(found);
  }
}
