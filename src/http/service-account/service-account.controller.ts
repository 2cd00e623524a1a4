import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ChangeServiceAccount, CreateServiceAccount, DeleteServiceAccount } from '../../commands/service-account.commands.ts';
import { CurrentContext, CurrentPrincipal, CurrentProject } from '../context/decorators.ts';
import type { Principal } from '../context/principal.ts';
import type { RequestContext } from '../context/request-context.ts';
import type { ProjectAccess } from '../context/request-state.ts';
import { success } from '../presentation/answers.ts';
import { Needs } from '../rights/needs.ts';
import { projectRight } from '../rights/right.ts';
import { ScopeCheck } from '../rights/scope-check.ts';
import { scopesOfService } from '../rights/scopes.ts';
import type { ServiceAccountAnswer } from './service-account.description.ts';
import { ChangeServiceAccountDto, CreateServiceAccountDto } from './service-account.dto.ts';
import { ServiceAccountReading } from './service-account-reading.ts';

/** Service accounts of a project (docs/spec/beyond.md#B28). */
@Controller('project/:id/service-accounts')
export class ServiceAccountController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(ServiceAccountReading) private readonly reading: ServiceAccountReading,
    @Inject(ScopeCheck) private readonly scopes: ScopeCheck,
  ) {}

  @Get()
  @Needs(projectRight('manageUsers'))
  async list(@CurrentProject() { projectId }: ProjectAccess): Promise<readonly ServiceAccountAnswer[]> {
    return (await this.reading.all(projectId)).map((account) => this.reading.present(account));
  }

  @Post()
  @Needs(projectRight('manageUsers'))
  @HttpCode(200)
  async create(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Body() { name, role }: CreateServiceAccountDto,
  ): Promise<ServiceAccountAnswer> {
    this.scopes.require(caller, scopesOfService(role));
    const sid = await this.commands.execute(new CreateServiceAccount(context, projectId, { name, role }, caller.userId));
    await context.waitUntilVisible();
    return this.reading.present(await this.reading.one(projectId, sid));
  }

  @Get(':sid')
  @Needs(projectRight('manageUsers'))
  async read(@CurrentProject() { projectId }: ProjectAccess, @Param('sid') sid: string): Promise<ServiceAccountAnswer> {
    return this.reading.present(await this.reading.one(projectId, sid));
  }

  @Patch(':sid')
  @Needs(projectRight('manageUsers'))
  async change(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Param('sid') serviceAccountId: string,
    @Body() { name, role }: ChangeServiceAccountDto,
  ): Promise<ServiceAccountAnswer> {
    if (role !== undefined) this.scopes.require(caller, scopesOfService(role));
    await this.commands.execute(new ChangeServiceAccount(context, { projectId, serviceAccountId }, { name, role }, caller.userId));
    await context.waitUntilVisible();
    return this.reading.present(await this.reading.one(projectId, serviceAccountId));
  }

  @Delete(':sid')
  @Needs(projectRight('manageUsers'))
  async remove(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Param('sid') serviceAccountId: string,
  ): Promise<object> {
    await this.commands.execute(new DeleteServiceAccount(context, { projectId, serviceAccountId }, userId));
    return success;
  }
}
