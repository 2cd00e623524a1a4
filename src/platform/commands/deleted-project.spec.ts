import { beforeAll, expect, it } from '@jest/globals';
import { openAccounts } from '../../../test/support/open-accounts.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { MemoryClaims } from '../../../test/support/memory/memory-claims.ts';
import { MemoryKeyring } from '../../../test/support/memory/memory-keyring.ts';
import { MemoryInvitations } from '../../../test/support/memory/memory-invitations.ts';
import { emptyForm } from '../../projects/areas/area.settings.ts';
import { presetCheck } from '../../projects/checks/preset.ts';
import { create } from '../../projects/project.decider.ts';
import { projectTarget } from '../../projects/project.state.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { DomainError } from '../../kernel/errors.ts';
import { EmailDirectory } from '../../accounts/email-directory.ts';
import { CreateArea, CreateAreaHandler, NoteFoundForm, NoteFoundFormHandler } from '../../projects/areas/area.commands.ts';
import { noObjective } from '../../projects/objectives/objective.settings.ts';
import { SetImportedUptime, SetImportedUptimeHandler } from '../../watches/imported-uptime/imported-uptime.commands.ts';
import { SetObjective, SetObjectiveHandler } from '../../projects/objectives/objective.commands.ts';
import { SwitchBadge, SwitchBadgeHandler } from '../../overview/badge/badge.commands.ts';
import { CreateCheck, CreateCheckHandler, NameCheck, NameCheckHandler } from '../../projects/checks/check.commands.ts';
import { systemContext } from './context.ts';
import { CommandRunner } from './command-runner.ts';
import {
  CancelMaintenance,
  CancelMaintenanceHandler,
  ScheduleMaintenance,
  ScheduleMaintenanceHandler,
} from '../../projects/maintenance/maintenance.commands.ts';
import {
  ChangeRole,
  ChangeRoleHandler,
  DismissMember,
  DismissMemberHandler,
  RemoveMembers,
  RemoveMembersHandler,
} from '../../projects/members/member.commands.ts';
import { OfferTransfer, OfferTransferHandler } from '../../projects/transfer.commands.ts';
import { InviteMember, InviteMemberHandler } from '../../projects/members/invitation.commands.ts';
import { ChangeNotifications, ChangeNotificationsHandler } from '../../alerts/preferences/preference.commands.ts';
import {
  ChangeSettings,
  ChangeSettingsHandler,
  DeleteProject,
  DeleteProjectHandler,
  InspectHomepage,
  InspectHomepageHandler,
} from '../../projects/project.commands.ts';

const store = new MemoryEventStore();
const runner = new CommandRunner(store);
const claims = new MemoryClaims();
const invitations = new MemoryInvitations(claims);
const secrets = { secret: () => Promise.resolve(Buffer.alloc(32)) };
const context = () => systemContext({ kind: 'user', id: '1' }, 0);
const window = { from: 0, to: 1, offsetMinutes: 0, note: '', repeat: null };

beforeAll(async () => {
  await openAccounts(runner, 2);
  const wanted = { projectId: 'p', payerId: 1, settings: projectSettings, apiKey: { subject: 'project-p', sealed: '' }, preset: true };
  await runner.run(projectTarget('p'), context(), (project) => create(project, wanted));
  await new DeleteProjectHandler(runner, claims, invitations).execute(new DeleteProject(context(), { projectId: 'p', by: 1 }));
});

/** Its rights were read while the project was there. */
const late: readonly (readonly [string, () => Promise<unknown>])[] = [
  [
    'its settings',
    () => new ChangeSettingsHandler(runner).execute(new ChangeSettings(context(), { projectId: 'p', settings: { title: 'late' }, by: 1 })),
  ],
  [
    'its address',
    () =>
      new ChangeSettingsHandler(runner).execute(
        new ChangeSettings(context(), { projectId: 'p', settings: { url: 'https://late.example' }, by: 1 }),
      ),
  ],
  [
    'a group',
    () => new CreateAreaHandler(runner, secrets).execute(new CreateArea(context(), { projectId: 'p', wanted: { name: 'late' } })),
  ],
  [
    'a form that was found',
    () =>
      new NoteFoundFormHandler(runner).execute(
        new NoteFoundForm(context(), { projectId: 'p', areaId: 'a', form: { saved: emptyForm, found: 'late' } }),
      ),
  ],
  [
    'a check',
    () =>
      new CreateCheckHandler(runner, secrets).execute(
        new CreateCheck(context(), { projectId: 'p', areaId: null, settings: presetCheck('', '/', 'simple', []) }),
      ),
  ],
  [
    'the name of a check',
    () => new NameCheckHandler(runner).execute(new NameCheck(context(), { projectId: 'p', checkId: 'c', title: 'late' })),
  ],
  [
    'its homepage',
    () =>
      new InspectHomepageHandler(runner, secrets).execute(
        new InspectHomepage(context(), { projectId: 'p', url: 'https://example.com', isWordPress: true, links: [{ url: '/', text: '' }] }),
      ),
  ],
  [
    'a role',
    () => new ChangeRoleHandler(runner).execute(new ChangeRole(context(), { projectId: 'p', wanted: { userId: 2, role: '4' }, by: 1 })),
  ],
  [
    'an invitation',
    () =>
      new InviteMemberHandler(runner, invitations, new EmailDirectory(claims, secrets), new MemoryKeyring(), secrets).execute(
        new InviteMember(context(), {
          projectId: 'p',
          email: 'late@example.test',
          role: '4',
          by: 1,
          expiresAt: new Date(1_000),
          most: 100,
        }),
      ),
  ],
  [
    'a member who leaves',
    () => new RemoveMembersHandler(runner, invitations).execute(new RemoveMembers(context(), { projectId: 'p', userIds: [1], by: 1 })),
  ],
  [
    'an account that is gone',
    () => new DismissMemberHandler(runner, claims, invitations).execute(new DismissMember(context(), { projectId: 'p', userId: 1 })),
  ],
  [
    'another owner',
    () =>
      new OfferTransferHandler(runner, invitations, secrets).execute(
        new OfferTransfer(context(), { projectId: 'p', to: 2, by: 1, expiresAt: new Date(1_000) }),
      ),
  ],
  [
    'which alerts a member wants',
    () =>
      new ChangeNotificationsHandler(runner).execute(
        new ChangeNotifications(context(), { projectId: 'p', userId: 1, wanted: { slack: true } }),
      ),
  ],
  ['its objective', () => new SetObjectiveHandler(runner).execute(new SetObjective(context(), { projectId: 'p', wanted: noObjective }))],
  [
    'what another product measured',
    () =>
      new SetImportedUptimeHandler(runner).execute(
        new SetImportedUptime(context(), { projectId: 'p', days: { origin: 'imported:x', from: '2020-01-01', up: [1], down: [0] } }),
      ),
  ],
  ['its badge', () => new SwitchBadgeHandler(runner).execute(new SwitchBadge(context(), { projectId: 'p', published: true }))],
  [
    'a maintenance window',
    () => new ScheduleMaintenanceHandler(runner, secrets).execute(new ScheduleMaintenance(context(), { projectId: 'p', window })),
  ],
  [
    'the end of a window',
    () => new CancelMaintenanceHandler(runner).execute(new CancelMaintenance(context(), { projectId: 'p', windowId: 'w' })),
  ],
];

it.each(late)('of a deleted project, %s is not written behind its end', async (_, change) => {
  await change().catch((error: unknown) => {
    expect(error).toBeInstanceOf(DomainError);
  });
  expect(store.events.at(-1)?.type).toBe('ProjectDeleted');
  expect(await claims.holderOf('project-slot', '2/1')).toBeNull();
});
