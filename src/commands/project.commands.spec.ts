import { describe, expect, it } from '@jest/globals';
import { openAccounts } from '../../test/support/open-accounts.ts';
import { projectSettings } from '../../test/support/project-settings.ts';
import { MemoryKeyring } from '../security/keyring/memory-keyring.ts';
import { MemoryClaims } from '../persistence/memory-claims.ts';
import { ProjectCreationFailed } from '../domain/project/decisions.ts';
import { StoreUnavailable } from '../kernel/errors.ts';
import { MemoryEventStore } from '../event-store/memory/memory-event-store.ts';
import { systemContext } from './context.ts';
import { CommandRunner } from './command-runner.ts';
import { TransferProject, TransferProjectHandler } from './member.commands.ts';
import { CreateProject, CreateProjectHandler, ProjectLimitReached } from './project.commands.ts';

/** A creation whose append goes wrong so. */
function create(trouble: Error | null, maxProjects: number | null = null): Promise<string> {
  const store = new MemoryEventStore();
  if (trouble !== null) store.append = () => Promise.reject(trouble);
  const secrets = { secret: () => Promise.resolve(Buffer.alloc(32)) };
  const handler = new CreateProjectHandler(new CommandRunner(store), new MemoryClaims(), new MemoryKeyring(), secrets);
  return handler.execute(new CreateProject(systemContext({ kind: 'user', id: '1' }, 0), 1, maxProjects, projectSettings, false));
}

describe('creating a project', () => {
  it('is the same project when it is repeated, and takes no second place where it has gone to somebody else', async () => {
    const [store, claims] = [new MemoryEventStore(), new MemoryClaims()];
    const runner = new CommandRunner(store);
    await openAccounts(runner, 2);
    const handler = new CreateProjectHandler(runner, claims, new MemoryKeyring(), { secret: () => Promise.resolve(Buffer.alloc(32)) });
    const begin = (commandId: string): Promise<string> =>
      handler.execute(new CreateProject(systemContext({ kind: 'user', id: '1' }, 0, { commandId }), 1, 1, projectSettings, false));
    const projectId = await begin('first');
    expect(await begin('first')).toBe(projectId);
    const handOver = new TransferProject(systemContext({ kind: 'user', id: '1' }, 0), projectId, 2, 1, 1);
    await new TransferProjectHandler(runner, claims).execute(handOver);
    expect(await begin('first')).toBe(projectId);
    expect(await claims.holderOf('project-slot', '1/1')).toBeNull();
    await begin('second');
    expect(await begin('first')).toBe(projectId);
  });

  it('answers its id', async () => {
    expect(await create(null)).toMatch(/^[0-9a-f]{24}$/);
  });

  it('says only that it failed when nobody foresaw why, and keeps the cause for the log', async () => {
    const cause = new Error('relation "event" does not exist');
    const failed = create(cause);
    await expect(failed).rejects.toThrow(ProjectCreationFailed);
    await expect(failed).rejects.toMatchObject({ cause, message: expect.not.stringContaining('relation') });
  });

  it('is told as it is when there is a word for it, or trying again may help', async () => {
    const away = new StoreUnavailable('away');
    await expect(create(away)).rejects.toBe(away);
    const passing = Object.assign(new Error('the server stops'), { code: '57P01' });
    await expect(create(passing)).rejects.toBe(passing);
    await expect(create(null, 0)).rejects.toThrow(ProjectLimitReached);
  });
});
