import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ChangeRole, RemoveMembers } from './member.commands.ts';
import { OfferTransfer, WithdrawTransfer } from '../transfer.commands.ts';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { type RoleId, roles } from '../../accounts/rights/roles.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { projectView, usersTag, usersThing } from '../project.view.ts';
import { IfMatch } from '../../platform/http/conditions/if-match.ts';
import { CurrentContext, CurrentPrincipal, ShownSettings, type ShowTag } from '../../platform/http/context/decorators.ts';
import { CurrentProject, type ProjectAccess } from '../request-project.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { NotFound } from '../../platform/http/errors/refusals.ts';
import { inUtc, success } from '../../platform/http/presentation/answers.ts';
import type { PendingTransferAnswer } from './invitation.api.ts';
import { InvitationMail } from './invitation-mail.ts';
import { invitationExpiry, MemberAddition } from './member-addition.ts';
import { leftBehind, serviceAccountsIn } from '../service-accounts/service-account.view.ts';
import { AddMemberDto, ChangeRoleDto, RemoveMembersDto, TransferDto, type PermissionsAnswer, type RemovalAnswer } from './member.api.ts';
import { MemberReading, presentLeftBehind, presentRole } from './member-reading.ts';
import { Needs, NeedsRecentSignIn } from '../../accounts/rights/needs.ts';
import { projectRight } from '../../accounts/rights/right.ts';
import { ScopeCheck } from '../../accounts/tokens/token-uses.ts';
import { permissionsOf, scopesOfRole } from '../../accounts/rights/scopes.ts';

const USER_ID = /^[1-9]\d{0,9}$/;

/** Members, roles and permissions (docs/spec/interface.md#project-users). */
@Controller('project/:id')
export class MemberController {
  constructor(
    private readonly commands: CommandBus,
    private readonly views: ViewsAt,
    @Inject(CONFIG) private readonly config: Config,
    private readonly mail: InvitationMail,
    private readonly addition: MemberAddition,
    private readonly reading: MemberReading,
    private readonly scopes: ScopeCheck,
  ) {}

  @Get('users')
  @Needs(projectRight('read'))
  listUsers(
    @CurrentProject() { row, role }: ProjectAccess,
    @CurrentPrincipal() { userId }: Principal,
    @ShownSettings() show: ShowTag,
  ): Promise<readonly object[]> {
    show(usersTag(row.id, row));
    return this.reading.all(this.views.now(), row, { userId, role });
  }

  @Post('users')
  @IfMatch(usersThing)
  @Needs(projectRight('manageUsers'))
  @HttpCode(200)
  async addUser(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Body() member: AddMemberDto,
  ): Promise<object> {
    const userId = await this.addition.add(caller, context, projectId, member);
    return this.presentMemberOf(context, projectId, userId, caller);
  }

  @Put('users/:userId')
  @IfMatch(usersThing)
  @Needs(projectRight('manageUsers'))
  async changeRole(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Param('userId') userId: string,
    @Body() { role }: ChangeRoleDto,
  ): Promise<object> {
    if (!USER_ID.test(userId)) throw new NotFound();
    this.scopes.require(caller, scopesOfRole(role));
    await this.commands.execute(new ChangeRole(context, { projectId, wanted: { userId: Number(userId), role }, by: caller.userId }));
    return this.presentMemberOf(context, projectId, Number(userId), caller);
  }

  @Delete('users')
  @IfMatch(usersThing)
  @Needs(projectRight('member', { unknown: 404 }))
  async removeUsers(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Body() { users }: RemoveMembersDto,
  ): Promise<RemovalAnswer> {
    if (users.some((userId) => userId !== caller.userId)) this.scopes.require(caller, ['manageUsers']);
    await this.commands.execute(new RemoveMembers(context, { projectId, userIds: users, by: caller.userId }));
    const left = leftBehind(await serviceAccountsIn(this.views.now(), projectId), users, Date.parse(context.occurredAt));
    return { ...success, ...(left.length > 0 && { serviceAccounts: left.map(presentLeftBehind) }) };
  }

  @Get('roles')
  @Needs(projectRight('read'))
  listRoles(): readonly object[] {
    return (Object.keys(roles) as RoleId[]).map((id) => presentRole(roles[id]));
  }

  @Get('permissions')
  @Needs(projectRight('read'))
  permissions(@CurrentProject() access: ProjectAccess, @CurrentPrincipal() caller: Principal): PermissionsAnswer {
    return permissionsOf(access, caller);
  }

  @Post('transfer')
  @Needs(projectRight('owner'))
  @NeedsRecentSignIn()
  @HttpCode(200)
  async transfer(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Body() { userId }: TransferDto,
  ): Promise<object> {
    const expiresAt = invitationExpiry(context, this.config);
    const token = await this.commands.execute(new OfferTransfer(context, { projectId, to: userId, by: caller.userId, expiresAt }));
    if (token !== null) await this.mail.offer({ to: userId, by: caller.userId, token, expiresAt });
    return success;
  }

  @Get('transfer')
  @Needs(projectRight('owner'))
  pendingTransfer(@CurrentProject() { row: { transfer } }: ProjectAccess): PendingTransferAnswer {
    if (transfer === null) return { transfer };
    const { to, offeredAt, expiresAt } = transfer;
    return { transfer: { userId: to, offered: inUtc(offeredAt), expires: inUtc(expiresAt) } };
  }

  @Delete('transfer')
  @Needs(projectRight('owner'))
  async withdrawTransfer(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
  ): Promise<object> {
    await this.commands.execute(new WithdrawTransfer(context, { projectId, by: caller.userId }));
    return success;
  }

  private async presentMemberOf(context: RequestContext, projectId: string, userId: number, caller: Principal): Promise<object> {
    await context.waitUntilVisible();
    const views = this.views.now();
    const row = await views.get(projectView, projectId);
    const shown = row === null ? null : await this.reading.one(views, row, userId, caller.userId);
    if (shown === null) throw new NotFound();
    return shown;
  }
}
