import { describe, expect, it } from '@jest/globals';
import { openAccounts, plansWith } from '../../test/support/open-accounts.ts';
import { projectSettings } from '../../test/support/project-settings.ts';
import { MemoryKeyring } from '../../test/support/memory/memory-keyring.ts';
import { handOver } from '../../test/support/hand-over.ts';
import { MemoryClaims } from '../../test/support/memory/memory-claims.ts';
import { MemoryInvitations } from '../../test/support/memory/memory-invitations.ts';
import { ProjectCreationFailed } from './project.decider.ts';
import { StoreUnavailable } from '../kernel/errors.ts';
import { MemoryEventStore } from '../../test/support/memory/memory-event-store.ts';
import { systemContext } from '../platform/commands/context.ts';
import { checklistTarget } from './checks/checklist.decider.ts';
import { linkCheck } from './checks/preset.ts';
import { CommandRunner } from '../platform/commands/command-runner.ts';
import { CreateProject, CreateProjectHandler } from './project.commands.ts';
import { ProjectLimitReached } from './project-slot.ts';

/** Creates a project while the append fails with the given error. */
async function create(failure: Error | null, maxProjects: number | null = null): Promise<string> {
  const store = new MemoryEventStore();
  const runner = new CommandRunner(store);
  await openAccounts(runner, 1);
  if (failure !== null) store.append = () => Promise.reject(failure);
  const secrets = { secret: () => Promise.resolve(Buffer.alloc(32)) };
  const handler = new CreateProjectHandler(runner, new MemoryClaims(), plansWith(maxProjects), new MemoryKeyring(), secrets);
  const created = await handler.execute(
    new CreateProject(systemContext({ kind: 'user', id: '1' }, 0), { payerId: 1, settings: projectSettings, beginning: { preset: false } }),
  );
  return created.projectId;
}

describe('creating a project', () => {
  it('answers a repeat with the same project, and claims no second slot after its transfer', async () => {
    const [store, claims] = [new MemoryEventStore(), new MemoryClaims()];
    const runner = new CommandRunner(store);
    await openAccounts(runner, 1, 2);
    const handler = new CreateProjectHandler(runner, claims, plansWith(1), new MemoryKeyring(), {
      secret: () => Promise.resolve(Buffer.alloc(32)),
    });
    const begin = async (commandId: string): Promise<string> => {
      const created = await handler.execute(
        new CreateProject(systemContext({ kind: 'user', id: '1' }, 0, { commandId }), {
          payerId: 1,
          settings: projectSettings,
          beginning: { preset: false },
        }),
      );
      return created.projectId;
    };
    const projectId = await begin('first');
    expect(await begin('first')).toBe(projectId);
    const parts = { runner, claims, plans: plansWith(1), invitations: new MemoryInvitations(claims) };
    await handOver(parts, () => systemContext({ kind: 'user', id: '1' }, 0), { projectId, by: 1, to: 2 });
    expect(await begin('first')).toBe(projectId);
    expect(await claims.holderOf('project-slot', '1/1')).toBeNull();
    await begin('second');
    expect(await begin('first')).toBe(projectId);
  });

  it('appends its first groups and checks with it, those of the preset before them', async () => {
    const runner = new CommandRunner(new MemoryEventStore());
    await openAccounts(runner, 1);
    const secrets = { secret: () => Promise.resolve(Buffer.alloc(32)) };
    const handler = new CreateProjectHandler(runner, new MemoryClaims(), plansWith(null), new MemoryKeyring(), secrets);
    const checks = {
      groups: [{ wanted: { name: 'Shop' }, checks: [linkCheck('Pay', '/pay')] }],
      checks: [linkCheck('Imprint', '/imprint')],
    };
    const begin = () =>
      handler.execute(
        new CreateProject(systemContext({ kind: 'user', id: '1' }, 0, { commandId: 'one' }), {
          payerId: 1,
          settings: projectSettings,
          beginning: { preset: true, checks },
        }),
      );
    const created = await begin();
    const list = await runner.read(checklistTarget(created.projectId));
    expect(created.areaIds.map((areaId) => list.areas.get(areaId)?.name)).toEqual(['Public', 'Shop']);
    const [preset, shop] = created.areaIds;
    const named = [...list.checks].map(([, { areaId, settings }]) => [areaId, settings.name]);
    expect(named).toEqual(
      expect.arrayContaining([
        [preset, 'Homepage'],
        [preset, 'Imprint'],
        [shop, 'Pay'],
      ]),
    );
    expect(await begin()).toEqual(created);
  });

  it('answers its id', async () => {
    expect(await create(null)).toMatch(/^[0-9a-f]{24}$/);
  });

  it('hides an unexpected error from the answer, and keeps it as the cause for the log', async () => {
    const cause = new Error('relation "event" does not exist');
    const failed = create(cause);
    await expect(failed).rejects.toThrow(ProjectCreationFailed);
    await expect(failed).rejects.toMatchObject({ cause, message: expect.not.stringContaining('relation') });
  });

  it('passes on domain errors and transient errors', async () => {
    const away = new StoreUnavailable('away');
    await expect(create(away)).rejects.toBe(away);
    const passing = Object.assign(new Error('the server stops'), { code: '57P01' });
    await expect(create(passing)).rejects.toBe(passing);
    await expect(create(null, 0)).rejects.toThrow(ProjectLimitReached);
  });
});
