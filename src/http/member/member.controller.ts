import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { AddMember, RemoveMembers, TransferProject } from '../../commands/member.commands.ts';
import { mayGrant, type RoleId, roles, switchesOf } from '../../domain/project/roles.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { projectView } from '../../projections/read-models/project/project.view.ts';
import { CurrentContext, CurrentPrincipal, CurrentProject } from '../context/decorators.ts';
import type { Principal } from '../context/principal.ts';
import type { ProjectAccess } from '../context/request-state.ts';
import type { RequestContext } from '../context/request-context.ts';
import { Forbidden, NotFound } from '../errors/refusals.ts';
import { success } from '../presentation/answers.ts';
import { Invitation } from './invitation.ts';
import { AddMemberDto, ChangeRoleDto, RemoveMembersDto, TransferDto } from './member.dto.ts';
import { MemberReading, presentRole } from './member-reading.ts';
import { Needs, NeedsRecentSignIn } from '../rights/needs.ts';
import { projectRight } from '../rights/right.ts';
import type { PermissionsAnswer } from './member.description.ts';

const USER_ID = /^[1-9]\d{0,9}$/;

/** Members, roles and permissions (docs/spec/interface.md#project-users). */
@Controller('project/:id')
export class MemberController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(Invitation) private readonly invitation: Invitation,
    @Inject(MemberReading) private readonly reading: MemberReading,
  ) {}

  @Get('users')
  @Needs(projectRight('read'))
  listUsers(@CurrentProject() { row }: ProjectAccess, @CurrentPrincipal() { userId }: Principal): Promise<readonly object[]> {
    return this.reading.all(this.views.now(), row, userId);
  }

  @Post('users')
  @Needs(projectRight('manageUsers'))
  @HttpCode(200)
  async addUser(
    @CurrentProject() access: ProjectAccess,
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Body() { email, role }: AddMemberDto,
  ): Promise<object> {
    // The command checks it, too; checked here so that a refusal does not leave an account behind.
    if (access.role === null || !mayGrant(access.role, role)) throw new Forbidden('You cannot grant more than you hold.');
    const { userId } = await this.invitation.account(context, email);
    await this.commands.execute(new AddMember(context, access.projectId, { userId, role }, caller.userId, false));
    await this.invitation.invite(context, userId, email);
    return this.presentMemberOf(context, access.projectId, userId, caller);
  }

  @Put('users/:userId')
  @Needs(projectRight('manageUsers'))
  async changeRole(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Param('userId') userId: string,
    @Body() { role }: ChangeRoleDto,
  ): Promise<object> {
    if (!USER_ID.test(userId)) throw new NotFound();
    await this.commands.execute(new AddMember(context, projectId, { userId: Number(userId), role }, caller.userId, true));
    return this.presentMemberOf(context, projectId, Number(userId), caller);
  }

  @Delete('users')
  @Needs(projectRight('member', { unknown: 404 }))
  async removeUsers(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Body() { users }: RemoveMembersDto,
  ): Promise<object> {
    await this.commands.execute(new RemoveMembers(context, projectId, users, caller.userId));
    return success;
  }

  @Get('roles')
  @Needs(projectRight('read'))
  listRoles(): readonly object[] {
    return (Object.keys(roles) as RoleId[]).map((id) => presentRole(roles[id]));
  }

  @Get('permissions')
  @Needs(projectRight('read'))
  permissions(@CurrentProject() { role, owner }: ProjectAccess): PermissionsAnswer {
    return switchesOf(role, owner);
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
    await this.commands.execute(new TransferProject(context, projectId, userId, caller.userId));
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
