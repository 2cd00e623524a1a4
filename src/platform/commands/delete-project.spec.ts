import { expect, it } from '@jest/globals';
import { openAccounts, plansWith } from '../../../test/support/open-accounts.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { handOver } from '../../../test/support/hand-over.ts';
import { MemoryClaims } from '../../../test/support/memory/memory-claims.ts';
import { MemoryInvitations } from '../../../test/support/memory/memory-invitations.ts';
import { presetChecks } from '../../projects/checks/preset.ts';
import { create } from '../../projects/project.decider.ts';
import { MembershipRefused } from '../../projects/membership-refused.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { systemContext } from './context.ts';
import { CommandRunner } from './command-runner.ts';
import { DeleteProject, DeleteProjectHandler } from '../../projects/project.commands.ts';
import { wholeProjectTarget } from '../../projects/project-stream.ts';

const context = () => systemContext({ kind: 'user', id: '1' }, 0);

it('deletes no project that its owner has transferred meanwhile, nor any of its checks', async () => {
  const [store, claims] = [new MemoryEventStore(), new MemoryClaims()];
  const runner = new CommandRunner(store);
  await openAccounts(runner, 2);
  const wanted = { projectId: 'p', payerId: 1, settings: projectSettings, apiKey: { subject: 'project-p', sealed: '' }, preset: true };
  await runner.run(wholeProjectTarget('p'), context(), ([project]) => [
    ...create(project, wanted),
    ...presetChecks(projectSettings.url, ['area', 'homepage', 'favicon', 'robots', 'missing']),
  ]);
  const invitations = new MemoryInvitations(claims);
  await handOver({ runner, claims, invitations, plans: plansWith(null) }, context, { projectId: 'p', by: 1, to: 2 });
  const deleting = new DeleteProjectHandler(runner, claims, invitations);
  await expect(deleting.execute(new DeleteProject(context(), { projectId: 'p', by: 1 }))).rejects.toThrow(MembershipRefused);
  expect(store.events.at(-1)?.type).toBe('ProjectTransferred');
  expect(await claims.holderOf('project-slot', '2/1')).toBe('p');
  await deleting.execute(new DeleteProject(context(), { projectId: 'p', by: 2 }));
  await deleting.execute(new DeleteProject(context(), { projectId: 'p', by: 2 }));
  expect(store.events.filter(({ type }) => type === 'ProjectDeleted')).toHaveLength(1);
});
