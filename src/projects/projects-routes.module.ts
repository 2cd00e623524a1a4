import { Module } from '@nestjs/common';
import { AccountsRoutesModule } from '../accounts/accounts-routes.module.ts';
import { AreaReading } from './areas/area-reading.ts';
import { AreaSettingsInput } from './areas/area-settings.ts';
import { AreaController } from './areas/area.controller.ts';
import { FormHtml } from './areas/form-html.ts';
import { CheckReading } from './checks/check-reading.ts';
import { CheckSettingsInput } from './checks/check-settings.ts';
import { CheckController } from './checks/check.controller.ts';
import { SavedBody } from './checks/saved-body.ts';
import { SavedHeaders } from './checks/saved-headers.ts';
import { FirstChecksSettings } from './first-checks-input.ts';
import { MaintenanceController } from './maintenance/maintenance.controller.ts';
import { InvitationLinkController } from './members/invitation-link.controller.ts';
import { InvitationMail } from './members/invitation-mail.ts';
import { InvitationReading } from './members/invitation-reading.ts';
import { InvitationsController } from './members/invitations.controller.ts';
import { MemberAddition } from './members/member-addition.ts';
import { MemberReading } from './members/member-reading.ts';
import { MemberController } from './members/member.controller.ts';
import { ObjectiveController } from './objectives/objective.controller.ts';
import { ProjectCreation } from './project-creation.ts';
import { ProjectList } from './project-list.ts';
import { ProjectReading } from './project-reading.ts';
import { ProjectController } from './project.controller.ts';
import { InstallationServiceAccountController, ServiceAccountController } from './service-accounts/service-account.controller.ts';
import { ServiceAccountActions } from './service-accounts/service-account-actions.ts';
import { ServiceAccountReading } from './service-accounts/service-account-reading.ts';

/** Projects, their groups, checks, members, service accounts, maintenance and objectives. */
@Module({
  imports: [AccountsRoutesModule],
  controllers: [
    ProjectController,
    AreaController,
    CheckController,
    MemberController,
    InvitationsController,
    InvitationLinkController,
    ServiceAccountController,
    InstallationServiceAccountController,
    MaintenanceController,
    ObjectiveController,
  ],
  providers: [
    FirstChecksSettings,
    ProjectCreation,
    ProjectList,
    ProjectReading,
    AreaReading,
    AreaSettingsInput,
    FormHtml,
    CheckReading,
    CheckSettingsInput,
    SavedBody,
    SavedHeaders,
    InvitationMail,
    InvitationReading,
    MemberAddition,
    MemberReading,
    ServiceAccountActions,
    ServiceAccountReading,
  ],
  exports: [
    ProjectCreation,
    ProjectList,
    ProjectReading,
    AreaSettingsInput,
    FormHtml,
    CheckReading,
    CheckSettingsInput,
    SavedHeaders,
    MemberAddition,
    MemberReading,
  ],
})
export class ProjectsRoutesModule {}
