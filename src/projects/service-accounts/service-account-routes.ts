import { Body, Delete, Get, HttpCode, Injectable, Param, Post } from '@nestjs/common';
import type { ServiceAccountOwner } from './service-account.commands.ts';
import type { TokenUsageAnswer } from '../../accounts/token.api.ts';
import { IfMatch } from '../../platform/http/conditions/if-match.ts';
import { ShownSettings, type ShowTag } from '../../platform/http/context/decorators.ts';
import { NeedsRecentSignIn } from '../../accounts/rights/needs.ts';
import { CurrentManager, CurrentOwner, type ServiceManager } from './current-manager.ts';
import { type ServiceAccountAnswer, type ServiceTokenAnswer, CreateServiceTokenDto } from './service-account.api.ts';
import { ServiceAccountActions } from './service-account-actions.ts';
import { ServiceAccountReading } from './service-account-reading.ts';
import { serviceAccountThing } from './service-account.view.ts';

/**
 * A mixin: the operations that service accounts of a project and of the installation share (docs/spec/beyond.md#B28). A class of its own for each
 * controller, because what a route needs is kept with its method.
 */
export function serviceAccountRoutes() {
  // Injectable by itself: constructors of classes without a decorator have no metadata.
  @Injectable()
  abstract class ServiceAccountRoutes {
    constructor(
      readonly actions: ServiceAccountActions,
      readonly reading: ServiceAccountReading,
    ) {}

    @Get()
    list(@CurrentOwner() owner: ServiceAccountOwner): Promise<readonly ServiceAccountAnswer[]> {
      return this.reading.list(owner);
    }

    @Get(':sid')
    read(
      @CurrentOwner() owner: ServiceAccountOwner,
      @Param('sid') sid: string,
      @ShownSettings() show: ShowTag,
    ): Promise<ServiceAccountAnswer> {
      return this.reading.read(owner, sid, show);
    }

    @Delete(':sid')
    @IfMatch(serviceAccountThing)
    remove(@CurrentManager() manager: ServiceManager, @Param('sid') sid: string): Promise<object> {
      return this.actions.remove(manager, sid);
    }

    @Get(':sid/tokens')
    listTokens(@CurrentOwner() owner: ServiceAccountOwner, @Param('sid') sid: string): Promise<readonly ServiceTokenAnswer[]> {
      return this.reading.tokensOf(owner, sid);
    }

    @Post(':sid/tokens')
    @NeedsRecentSignIn()
    @HttpCode(200)
    createToken(
      @CurrentManager() manager: ServiceManager,
      @Param('sid') sid: string,
      @Body() body: CreateServiceTokenDto,
    ): Promise<ServiceTokenAnswer & { readonly token: string }> {
      return this.actions.createToken(manager, sid, body);
    }

    @Delete(':sid/tokens/:tid')
    revokeToken(@CurrentManager() manager: ServiceManager, @Param('sid') sid: string, @Param('tid') tid: string): Promise<object> {
      return this.actions.revokeToken(manager, sid, tid);
    }

    @Get(':sid/tokens/:tid/usage')
    usage(@CurrentOwner() owner: ServiceAccountOwner, @Param('sid') sid: string, @Param('tid') tid: string): Promise<TokenUsageAnswer> {
      return this.reading.usage(owner, sid, tid);
    }
  }
  return ServiceAccountRoutes;
}
