import { beforeEach, describe, expect, it } from '@jest/globals';
import { openAccounts, plansWith } from '../../test/support/open-accounts.ts';
import { projectSettings } from '../../test/support/project-settings.ts';
import { MemoryClaims } from '../../test/support/memory/memory-claims.ts';
import { create } from '../domain/project/decisions.ts';
import { MembershipRefused } from '../domain/project/membership-refused.ts';
import { projectTarget } from '../domain/project/project.ts';
import { MemoryEventStore } from '../../test/support/memory/memory-event-store.ts';
import { systemContext } from './context.ts';
import { CommandRunner } from './command-runner.ts';
import { PROJECT_SLOT, ProjectLimitReached } from './project.commands.ts';
import { TransferProject, TransferProjectHandler } from './member.commands.ts';

const [giver, receiver, third] = [1, 2, 3] as const;

let store: MemoryEventStore;
let claims: MemoryClaims;
let runner: CommandRunner;
beforeEach(async () => {
  store = new MemoryEventStore();
  claims = new MemoryClaims();
  runner = new CommandRunner(store);
  await openAccounts(runner, giver, receiver, third);
  const wanted = { projectId: 'p', payerId: giver, settings: projectSettings, apiKey: { subject: 'project-p', sealed: '' }, preset: false };
  await runner.run(projectTarget('p'), systemContext({ kind: 'user', id: '1' }, 0), (project) => create(project, wanted));
  const slot = await claims.claimSlot(PROJECT_SLOT, String(giver), 1, 'p');
  await claims.keep(PROJECT_SLOT, slot ?? '', 'p');
});

const transfer = (by: number, to: number, { commandId, max = 1 }: { commandId?: string; max?: number } = {}): Promise<void> => {
  const context = systemContext({ kind: 'user', id: String(by) }, 0, commandId === undefined ? {} : { commandId });
  return new TransferProjectHandler(runner, claims, plansWith(max)).execute(new TransferProject(context, 'p', to, by));
};
/** Who has a place for the project. */
const places = async (): Promise<readonly number[]> => {
  const holders = await Promise.all([giver, receiver, third].map((userId) => claims.holderOf(PROJECT_SLOT, `${String(userId)}/1`)));
  return [giver, receiver, third].filter((_, index) => holders[index] === 'p');
};

describe('the place of a project that is transferred', () => {
  it('is with the receiver', async () => {
    await transfer(giver, receiver);
    expect(await places()).toEqual([receiver]);
  });

  it('stays where it is when the receiver has none left, or the giver is not the owner', async () => {
    await expect(transfer(giver, receiver, { max: 0 })).rejects.toThrow(ProjectLimitReached);
    await expect(transfer(third, receiver)).rejects.toThrow(MembershipRefused);
    expect(await places()).toEqual([giver]);
  });

  it('is with the last owner, however late the request of one before is repeated', async () => {
    await transfer(giver, receiver, { commandId: 'first' });
    await transfer(receiver, giver);
    await transfer(giver, receiver, { commandId: 'first' });
    expect(await places()).toEqual([giver]);
    await transfer(giver, third);
    await transfer(giver, receiver, { commandId: 'first' });
    expect(await places()).toEqual([third]);
  });

  it('is with the last owner, who gave it back before the giver had done', async () => {
    const keep = claims.keep.bind(claims);
    claims.keep = async (...given) => {
      claims.keep = keep;
      await transfer(receiver, giver);
      return keep(...given);
    };
    await transfer(giver, receiver);
    expect(await places()).toEqual([giver]);
  });
});
