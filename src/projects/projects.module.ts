import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.ts';
import { ChangeAreaHandler, CreateAreaHandler, DeleteAreaHandler, NoteFoundFormHandler } from './areas/area.commands.ts';
import { ChangeCheckHandler, CreateCheckHandler, DeleteCheckHandler, NameCheckHandler } from './checks/check.commands.ts';
import { CancelMaintenanceHandler, ScheduleMaintenanceHandler } from './maintenance/maintenance.commands.ts';
import {
  AcceptInvitationHandler,
  DeclineInvitationHandler,
  ExpireInvitationHandler,
  InviteMemberHandler,
} from './members/invitation.commands.ts';
import { ChangeRoleHandler, DismissMemberHandler, RemoveMembersHandler } from './members/member.commands.ts';
import { PatchObjectiveHandler, SetObjectiveHandler } from './objectives/objective.commands.ts';
import { ChangeSettingsHandler, CreateProjectHandler, DeleteProjectHandler, InspectHomepageHandler } from './project.commands.ts';
import {
  ChangeServiceAccountHandler,
  CreateServiceAccountHandler,
  DeleteServiceAccountHandler,
  IssueServiceTokenHandler,
  RevokeServiceTokenHandler,
} from './service-accounts/service-account.commands.ts';
import { AcceptTransferHandler, OfferTransferHandler, WithdrawTransferHandler } from './transfer.commands.ts';

/** The commands of projects, groups, checks, members, service accounts, maintenance and objectives. */
@Module({
  imports: [AccountsModule],
  providers: [
    ...[ChangeAreaHandler, CreateAreaHandler, DeleteAreaHandler, NoteFoundFormHandler],
    ...[ChangeCheckHandler, CreateCheckHandler, DeleteCheckHandler, NameCheckHandler],
    ...[CancelMaintenanceHandler, ScheduleMaintenanceHandler],
    ...[AcceptInvitationHandler, DeclineInvitationHandler, ExpireInvitationHandler, InviteMemberHandler],
    ...[ChangeRoleHandler, DismissMemberHandler, RemoveMembersHandler],
    ...[PatchObjectiveHandler, SetObjectiveHandler],
    ...[ChangeSettingsHandler, CreateProjectHandler, DeleteProjectHandler, InspectHomepageHandler],
    ...[
      ChangeServiceAccountHandler,
      CreateServiceAccountHandler,
      DeleteServiceAccountHandler,
      IssueServiceTokenHandler,
      RevokeServiceTokenHandler,
    ],
    ...[AcceptTransferHandler, OfferTransferHandler, WithdrawTransferHandler],
  ],
})
export class ProjectsModule {}
