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
  await new DeleteProjectHandler(runner, claims, invitations).execute(new DeleteProject(context(), 'p', 1));
});

/** Its rights were looked at while the project was there. */
const late: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['its settings', () => new ChangeSettingsHandler(runner).execute(new ChangeSettings(context(), 'p', { title: 'late' }, 1))],
  ['its address', () => new ChangeSettingsHandler(runner).execute(new ChangeSettings(context(), 'p', { url: 'https://late.example' }, 1))],
  ['a group', () => new CreateAreaHandler(runner, secrets).execute(new CreateArea(context(), 'p', { name: 'late' }))],
  [
    'a form that was found',
    () => new NoteFoundFormHandler(runner).execute(new NoteFoundForm(context(), 'p', 'a', { saved: emptyForm, found: 'late' })),
  ],
  [
    'a check',
    () => new CreateCheckHandler(runner, secrets).execute(new CreateCheck(context(), 'p', null, presetCheck('', '/', 'simple', []))),
  ],
  ['the name of a check', () => new NameCheckHandler(runner).execute(new NameCheck(context(), 'p', 'c', 'late'))],
  [
    'its homepage',
    () =>
      new InspectHomepageHandler(runner, secrets).execute(
        new InspectHomepage(context(), 'p', 'https://example.com', true, [{ url: '/', text: '' }]),
      ),
  ],
  ['a role', () => new ChangeRoleHandler(runner).execute(new ChangeRole(context(), 'p', { userId: 2, role: '4' }, 1))],
  [
    'an invitation',
    () =>
      new InviteMemberHandler(runner, invitations, new EmailDirectory(claims, secrets), new MemoryKeyring(), secrets).execute(
        new InviteMember(context(), 'p', 'late@example.test', '4', 1, new Date(1_000), 100),
      ),
  ],
  ['a member who leaves', () => new RemoveMembersHandler(runner, invitations).execute(new RemoveMembers(context(), 'p', [1], 1))],
  ['an account that is gone', () => new DismissMemberHandler(runner, claims, invitations).execute(new DismissMember(context(), 'p', 1))],
  [
    'another owner',
    () => new OfferTransferHandler(runner, invitations, secrets).execute(new OfferTransfer(context(), 'p', 2, 1, new Date(1_000))),
  ],
  [
    'which alerts a member wants',
    () => new ChangeNotificationsHandler(runner).execute(new ChangeNotifications(context(), 'p', 1, { slack: true })),
  ],
  ['its objective', () => new SetObjectiveHandler(runner).execute(new SetObjective(context(), 'p', () => noObjective))],
  [
    'what another product measured',
    () =>
      new SetImportedUptimeHandler(runner).execute(
        new SetImportedUptime(context(), 'p', { origin: 'imported:x', from: '2020-01-01', up: [1], down: [0] }),
      ),
  ],
  ['its badge', () => new SwitchBadgeHandler(runner).execute(new SwitchBadge(context(), 'p', true))],
  ['a maintenance window', () => new ScheduleMaintenanceHandler(runner, secrets).execute(new ScheduleMaintenance(context(), 'p', window))],
  ['the end of a window', () => new CancelMaintenanceHandler(runner).execute(new CancelMaintenance(context(), 'p', 'w'))],
];

it.each(late)('of a deleted project, %s is not written behind its end', async (_, change) => {
  await change().catch((error: unknown) => {
    expect(error).toBeInstanceOf(DomainError);
  });
  expect(store.events.at(-1)?.type).toBe('ProjectDeleted');
  expect(await claims.holderOf('project-slot', '2/1')).toBeNull();
});
