import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { ChangeStatusPage, CreateStatusPage, DeleteStatusPage, SetStatusPageHosts } from './status-page.commands.ts';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { ownOrigin } from '../platform/config/own-origin.ts';
import { projectsOf, type StatusPageSettings } from './status-page.settings.ts';
import { statusPageView, statusPageRowTag, statusPageThing } from './status-page.view.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { InvalidInput } from '../kernel/errors.ts';
import { IfMatch } from '../platform/http/conditions/if-match.ts';
import { CurrentContext, CurrentPrincipal, ShownSettings, type ShowTag } from '../platform/http/context/decorators.ts';
import { payerOf, type Principal } from '../platform/http/context/principal.ts';
import type { RequestContext } from '../platform/http/context/request-context.ts';
import { NotFound } from '../platform/http/errors/refusals.ts';
import { baseUrlOf, success } from '../platform/http/presentation/answers.ts';
import { Needs } from '../accounts/rights/needs.ts';
import { callerRight, editorRight, systemAdmin } from '../accounts/rights/right.ts';
import type { StatusPageAnswer } from './status-page.api.ts';
import { StatusPageDto, StatusPageHostsDto, statusPageSettings } from './status-page.dto.ts';
import { presentStatusPage } from './status-page.presenter.ts';
import { StatusPageRights } from './status-page-rights.ts';

/** Status pages, as those edit them who may edit every project that they show (docs/spec/beyond.md#B14). */
@Controller('status-pages')
@Needs(callerRight)
export class StatusPageController {
  constructor(
    private readonly commands: CommandBus,
    private readonly views: ViewsAt,
    private readonly rights: StatusPageRights,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  async list(@CurrentPrincipal() principal: Principal, @Req() request: FastifyRequest): Promise<readonly StatusPageAnswer[]> {
    const origin = this.originOf(request);
    return (await this.rights.pagesOf(principal)).map((page) => presentStatusPage(page, origin));
  }

  @Post()
  @Needs(editorRight)
  @HttpCode(200)
  async create(
    @CurrentPrincipal() principal: Principal,
    @CurrentContext() context: RequestContext,
    @Body() body: StatusPageDto,
    @Req() request: FastifyRequest,
  ): Promise<StatusPageAnswer> {
    const settings = await this.settingsOf(principal, body);
    const most = this.config.maxStatusPages;
    const password = body.password ?? null;
    const pageId = await this.commands.execute(new CreateStatusPage(context, { by: payerOf(principal), settings, password, most }));
    await context.waitUntilVisible();
    return this.answer(pageId, request);
  }

  @Get(':id')
  async read(
    @CurrentPrincipal() principal: Principal,
    @Param('id') pageId: string,
    @Req() request: FastifyRequest,
    @ShownSettings() show: ShowTag,
  ): Promise<StatusPageAnswer> {
    await this.rights.requirePage(principal, pageId);
    return this.answer(pageId, request, show);
  }

  @Put(':id')
  @Needs(editorRight)
  @IfMatch(statusPageThing)
  async replace(
    @CurrentPrincipal() principal: Principal,
    @CurrentContext() context: RequestContext,
    @Param('id') pageId: string,
    @Body() body: StatusPageDto,
    @Req() request: FastifyRequest,
  ): Promise<StatusPageAnswer> {
    const page = await this.rights.requirePage(principal, pageId);
    const settings = await this.settingsOf(principal, body);
    const editable = new Set(projectsOf(page.settings));
    await this.commands.execute(
      new ChangeStatusPage(context, { pageId, by: payerOf(principal), settings, password: body.password, editable }),
    );
    await context.waitUntilVisible();
    return this.answer(pageId, request);
  }

  /** A host name belongs to the installation, so its administrators give it away. */
  @Put(':id/hosts')
  @Needs(systemAdmin)
  async setHosts(
    @CurrentContext() context: RequestContext,
    @Param('id') pageId: string,
    @Body() { hosts }: StatusPageHostsDto,
  ): Promise<{ readonly hosts: readonly string[] }> {
    const own = new URL(ownOrigin(this.config)).hostname;
    if (hosts.includes(own)) throw new InvalidInput(`hosts: "${own}" is the host of the service itself`);
    await this.commands.execute(new SetStatusPageHosts(context, { pageId, hosts }));
    return { hosts };
  }

  @Delete(':id')
  @Needs(editorRight)
  @IfMatch(statusPageThing)
  async delete(
    @CurrentPrincipal() principal: Principal,
    @CurrentContext() context: RequestContext,
    @Param('id') pageId: string,
  ): Promise<object> {
    await this.rights.requirePage(principal, pageId, 'delete');
    await this.commands.execute(new DeleteStatusPage(context, { pageId }));
    return success;
  }

  private async settingsOf(principal: Principal, body: StatusPageDto): Promise<StatusPageSettings> {
    const items = await this.rights.resolved(
      principal,
      body.groups.flatMap((group) => group.items),
    );
    let place = 0;
    return statusPageSettings(
      body,
      body.groups.map((group) => ({ name: group.name, items: items.slice(place, (place += group.items.length)) })),
    );
  }

  private async answer(pageId: string, request: FastifyRequest, show?: ShowTag): Promise<StatusPageAnswer> {
    const page = await this.views.now().get(statusPageView, pageId);
    if (page === null) throw new NotFound('The status page was not found.');
    show?.(statusPageRowTag(page));
    return presentStatusPage(page, this.originOf(request));
  }

  private originOf(request: FastifyRequest): string {
    return baseUrlOf(request, this.config).replace(/\/api$/, '');
  }
}
