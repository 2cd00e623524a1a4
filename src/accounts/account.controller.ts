import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Put, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChangePassword } from './passwords/password.commands.ts';
import { ChangeProfile } from './account.commands.ts';
import { type AccountRow, accountView, accountTag, accountThing } from './account.view.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { ConfirmationDto } from './sign-in/authenticate.api.ts';
import { RecentSignIn } from './sign-in/recent-sign-in.ts';
import { ConsoleSessions } from './sign-in/session/console-sessions.ts';
import { IfMatch } from '../platform/http/conditions/if-match.ts';
import { CurrentContext, CurrentPrincipal, ShownSettings, type ShowTag } from '../platform/http/context/decorators.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import type { RequestContext } from '../platform/http/context/request-context.ts';
import { NotAuthenticated } from '../platform/http/errors/refusals.ts';
import { success } from '../platform/http/presentation/answers.ts';
import { ChangePasswordDto, UpdateAccountDto } from './account.api.ts';
import { AccountErasure } from './erasure/account-erasure.ts';
import { Links } from './links.ts';
import { readInput } from '../platform/http/validation/input.ts';
import { withInitial } from '../platform/http/validation/merge-patch.ts';
import { People, presentAccount } from './person.ts';
import { Needs, NeedsRecentSignIn } from './rights/needs.ts';
import { accountRight, unconfirmedRight } from './rights/right.ts';
import { sessionSlot } from './sign-in/request-caller.ts';

/** The caller's own account. */
@Controller('account')
export class AccountController {
  constructor(
    private readonly commands: CommandBus,
    private readonly views: ViewsAt,
    private readonly people: People,
    private readonly links: Links,
    private readonly recentSignIn: RecentSignIn,
    private readonly erasure: AccountErasure,
    private readonly sessions: ConsoleSessions,
  ) {}

  @Get()
  @Needs(unconfirmedRight)
  async getAccount(@CurrentPrincipal() { userId }: Principal, @ShownSettings() show?: ShowTag): Promise<object> {
    const row = await this.row(userId);
    show?.(accountTag(userId, row));
    return presentAccount(await this.people.open(row, userId));
  }

  @Put()
  @IfMatch(accountThing)
  @Needs(accountRight)
  async updateAccount(
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Body() body: UpdateAccountDto,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const wanted = wantedProfile(body);
    // Clients send back what they received: only another address needs a confirmation.
    const { notificationEmail: address } = wanted;
    const isAnother =
      address !== undefined && address !== (await this.people.open(await this.row(caller.userId), caller.userId)).notificationEmail;
    if (isAnother) await this.recentSignIn.require(request);
    await this.commands.execute(new ChangeProfile(context, { userId: caller.userId, wanted }));
    await context.waitUntilVisible();
    if (isAnother && address !== null) await this.links.offerNotification(caller.userId, address);
    return this.getAccount(caller);
  }

  @Patch()
  @IfMatch(accountThing)
  @Needs(accountRight)
  patchAccount(
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Body() patch: unknown,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    return this.updateAccount(caller, context, readInput(UpdateAccountDto, withInitial(patch, initialProfile)), request);
  }

  @Delete()
  @Needs(unconfirmedRight)
  @NeedsRecentSignIn()
  async deleteAccount(
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Body() _confirmation: ConfirmationDto,
  ): Promise<object> {
    await this.erasure.erase(context, userId);
    return success;
  }

  /** Revokes every token of the account, the caller's included; a session of the console continues as a new one. A wrong current password counts as a failed login. */
  @Post('password')
  @Needs(accountRight)
  @HttpCode(200)
  async changePassword(
    @CurrentPrincipal() principal: Principal,
    @CurrentContext() context: RequestContext,
    @Body() body: ChangePasswordDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    await this.recentSignIn.requirePassword(principal, { password: body.current, field: 'current' }, { code: body.code }, request.ip);
    await this.commands.execute(new ChangePassword(context, { userId: principal.userId, password: body.new, by: 'owner' }));
    const session = sessionSlot.get(request);
    if (session !== undefined) await this.sessions.reopen(request, reply, session);
    return success;
  }

  private async row(userId: number): Promise<AccountRow> {
    const row = await this.views.now().get(accountView, String(userId));
    if (row === null) throw new NotAuthenticated();
    return row;
  }
}

/** Those that a patch may remove and that are not null by themselves. */
const initialProfile = { timezone: 'UTC', notificationDelay: 0, reportPeriod: 'week' };

/** Only the supplied fields; an empty text removes an optional value. */
function wantedProfile(body: UpdateAccountDto): ChangeProfile['fields']['wanted'] {
  const { name, phone, timezone, notificationEmail, notificationDelay, reportPeriod } = body;
  return {
    ...(name === undefined ? {} : { name }),
    ...(phone === undefined ? {} : { phone: phone === '' ? null : phone }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(notificationEmail === undefined ? {} : { notificationEmail: notificationEmail === '' ? null : notificationEmail }),
    ...(notificationDelay === undefined ? {} : { notificationDelay }),
    ...(reportPeriod === undefined ? {} : { reportPeriod }),
  };
}
