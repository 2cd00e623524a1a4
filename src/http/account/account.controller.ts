import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Put, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { Passwords } from '../../security/passwords/passwords.ts';
import { ChangePassword, SettlePassword } from '../../commands/password.commands.ts';
import { ChangeProfile } from '../../commands/account.commands.ts';
import { accountView } from '../../projections/read-models/account/account.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { LoginThrottle } from '../auth/login-throttle.ts';
import { CurrentContext, CurrentPrincipal } from '../context/decorators.ts';
import type { Principal } from '../context/principal.ts';
import type { RequestContext } from '../context/request-context.ts';
import { Forbidden, NotAuthenticated } from '../errors/refusals.ts';
import { success } from '../presentation/answers.ts';
import { ChangePasswordDto, UpdateAccountDto } from './account.dto.ts';
import { AccountErasure } from '../../processes/account-erasure/account-erasure.ts';
import { People, presentAccount } from './person.ts';
import { Needs } from '../rights/needs.ts';
import { accountRight } from '../rights/right.ts';

/** The caller's own account. */
@Controller('account')
export class AccountController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(People) private readonly people: People,
    @Inject(Passwords) private readonly passwords: Passwords,
    @Inject(LoginThrottle) private readonly throttle: LoginThrottle,
    @Inject(AccountErasure) private readonly erasure: AccountErasure,
  ) {}

  @Get()
  @Needs(accountRight)
  async getAccount(@CurrentPrincipal() { userId }: Principal): Promise<object> {
    const row = await this.views.now().get(accountView, String(userId));
    if (row === null) throw new NotAuthenticated();
    return presentAccount(await this.people.open(row, userId));
  }

  @Put()
  @Needs(accountRight)
  async updateAccount(
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Body() body: UpdateAccountDto,
  ): Promise<object> {
    await this.commands.execute(new ChangeProfile(context, caller.userId, wantedProfile(body)));
    await context.waitUntilVisible();
    return this.getAccount(caller);
  }

  @Delete()
  @Needs(accountRight)
  async deleteAccount(@CurrentPrincipal() { userId }: Principal, @CurrentContext() context: RequestContext): Promise<object> {
    await this.erasure.erase(context, userId);
    return success;
  }

  /** Revokes every token of the account, the caller's included. A wrong current password counts as a failed login. */
  @Post('password')
  @Needs(accountRight)
  @HttpCode(200)
  async changePassword(
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Body() body: ChangePasswordDto,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const attempt = await this.throttle.attempt(`account ${String(userId)}`, request.ip);
    await attempt.refuseIfExhausted();
    await this.commands.execute(new SettlePassword(userId, { gate: context.gate }));
    if ((await this.passwords.verify(userId, body.current)) === null) {
      await attempt.recordFailure();
      throw new Forbidden('current: is not the current password.');
    }
    // As at a login: concurrent guesses may have used up the attempts.
    await attempt.refuseIfExhausted();
    await this.commands.execute(new ChangePassword(context, userId, body.new, 'owner'));
    return success;
  }
}

/** Only the supplied fields; an empty text removes an optional value. */
function wantedProfile(body: UpdateAccountDto): ChangeProfile['wanted'] {
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
