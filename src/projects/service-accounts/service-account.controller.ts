import { Body, Controller, HttpCode, Param, Patch, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { IfMatch } from '../../platform/http/conditions/if-match.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { projectRight, systemPeople } from '../../accounts/rights/right.ts';
import { CurrentManager, type ServiceManager } from './current-manager.ts';
import {
  type ServiceAccountAnswer,
  ChangeServiceAccountDto,
  CreateServiceAccountDto,
  ChangeInstallationServiceAccountDto,
  CreateInstallationServiceAccountDto,
} from './service-account.api.ts';
import { serviceAccountRoutes } from './service-account-routes.ts';
import { serviceAccountThing } from './service-account.view.ts';

/** Service accounts of a project (docs/spec/beyond.md#B28). */
@Controller('project/:id/service-accounts')
@Needs(projectRight('manageUsers'))
export class ServiceAccountController extends serviceAccountRoutes() {
  @Post()
  @HttpCode(200)
  create(@CurrentManager() manager: ServiceManager, @Body() { name, role }: CreateServiceAccountDto): Promise<ServiceAccountAnswer> {
    return this.actions.create(manager, name, role);
  }

  @Patch(':sid')
  @IfMatch(serviceAccountThing)
  change(
    @CurrentManager() manager: ServiceManager,
    @Param('sid') sid: string,
    @Body() body: ChangeServiceAccountDto,
    @Req() request: FastifyRequest,
  ): Promise<ServiceAccountAnswer> {
    return this.actions.change(manager, sid, body, request);
  }
}

/** Service accounts of the installation (docs/spec/beyond.md#B28). */
@Controller('service-accounts')
@Needs(systemPeople)
export class InstallationServiceAccountController extends serviceAccountRoutes() {
  @Post()
  @HttpCode(200)
  create(
    @CurrentManager() manager: ServiceManager,
    @Body() { name, role }: CreateInstallationServiceAccountDto,
  ): Promise<ServiceAccountAnswer> {
    return this.actions.create(manager, name, role);
  }

  @Patch(':sid')
  @IfMatch(serviceAccountThing)
  change(
    @CurrentManager() manager: ServiceManager,
    @Param('sid') sid: string,
    @Body() body: ChangeInstallationServiceAccountDto,
    @Req() request: FastifyRequest,
  ): Promise<ServiceAccountAnswer> {
    return this.actions.change(manager, sid, body, request);
  }
}
