import { beforeEach, describe, expect, it } from '@jest/globals';
import { openAccounts, plansWith } from '../../../test/support/open-accounts.ts';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { MemoryClaims } from '../../../test/support/memory/memory-claims.ts';
import { EraseAccount } from '../../commands/account.commands.ts';
import { systemContext } from '../../commands/context.ts';
import { CommandRunner } from '../../commands/command-runner.ts';
import {
  AddMember,
  AddMemberHandler,
  DismissMember,
  DismissMemberHandler,
  TransferProject,
  TransferProjectHandler,
} from '../../commands/member.commands.ts';
import { accountTarget } from '../../domain/account/account.ts';
import { AccountNotFound, erase } from '../../domain/account/decisions.ts';
import { create } from '../../domain/project/decisions.ts';
import { type Project, projectTarget } from '../../domain/project/project.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { AccountErasure } from './account-erasure.ts';

const [gone, other] = [1, 2] as const;
const context = () => systemContext({ kind: 'user', id: '1' }, 0, { commandId: 'erasure' });
const someContext = () => systemContext({ kind: 'user', id: '1' }, 0);

let store: MemoryEventStore;
let claims: MemoryClaims;
let runner: CommandRunner;
/** Somebody else, just before a step of the erasure. */
let meanwhile: (step: DismissMember | EraseAccount) => Promise<void>;

const begin = async (projectId: string, payerId: number): Promise<void> => {
  const wanted = { projectId, payerId, settings: projectSettings, apiKey: { subject: `project-${projectId}`, sealed: '' }, preset: false };
  await runner.run(projectTarget(projectId), someContext(), (project) => create(project, wanted));
};
const give = (projectId: string, by: number, to: number): Promise<void> =>
  new TransferProjectHandler(runner, claims, plansWith(null)).execute(new TransferProject(someContext(), projectId, to, by));
const standing = (projectId: string): Promise<Project> => runner.read(projectTarget(projectId));

beforeEach(async () => {
  store = new MemoryEventStore();
  claims = new MemoryClaims();
  runner = new CommandRunner(store);
  meanwhile = () => Promise.resolve();
  await openAccounts(runner, gone, other);
  await begin('a', gone);
  await begin('b', gone);
  await begin('c', other);
});

const eraseIt = (): Promise<void> => {
  const bus = {
    execute: async (command: DismissMember | EraseAccount) => {
      await meanwhile(command);
      if (command instanceof DismissMember) return new DismissMemberHandler(runner, claims).execute(command);
      await runner.run(accountTarget(command.userId), command.context, erase);
    },
  };
  const noted = { begin: () => Promise.resolve(), done: () => Promise.resolve() };
  return new AccountErasure(bus, new MemoryViews(() => store.events), noted, { send: () => Promise.resolve() }).erase(context(), gone);
};

describe('erasing an account', () => {
  it('deletes its own projects and ends its memberships', async () => {
    await new AddMemberHandler(runner).execute(new AddMember(someContext(), 'c', { userId: gone, role: '4' }, other, false));
    await eraseIt();
    expect((await standing('a')).kind).toBe('deleted');
    expect((await standing('b')).kind).toBe('deleted');
    expect(await standing('c')).toMatchObject({ kind: 'open', members: new Map([[other, '4']]) });
  });

  it('keeps a project that was transferred before', async () => {
    meanwhile = async (step) => {
      if (step instanceof DismissMember && step.projectId === 'a') await give('b', gone, other);
    };
    await eraseIt();
    expect(await standing('b')).toMatchObject({ kind: 'open', payerId: other, members: new Map([[other, '4']]) });
  });

  it('deletes a project transferred to it during the erasure, and refuses transfers afterwards', async () => {
    meanwhile = async (step) => {
      if (step instanceof EraseAccount) await give('c', other, gone);
    };
    await eraseIt();
    expect((await standing('c')).kind).toBe('deleted');
    await begin('d', other);
    await expect(give('d', other, gone)).rejects.toThrow(AccountNotFound);
    expect(await standing('d')).toMatchObject({ payerId: other });
  });
});
