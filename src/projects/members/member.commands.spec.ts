import { beforeEach, describe, expect, it } from '@jest/globals';
import { openAccounts, plansWith } from '../../../test/support/open-accounts.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { handOver } from '../../../test/support/hand-over.ts';
import { MemoryClaims } from '../../../test/support/memory/memory-claims.ts';
import { MemoryInvitations } from '../../../test/support/memory/memory-invitations.ts';
import { create } from '../project.decider.ts';
import { InvitationNotFound } from './invitation.decider.ts';
import { MembershipRefused } from '../membership-refused.ts';
import { projectTarget } from '../project.state.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { PROJECT_SLOT, ProjectLimitReached } from '../project-slot.ts';
import { AcceptTransfer, AcceptTransferHandler, OfferTransfer, OfferTransferHandler } from '../transfer.commands.ts';

const [giver, receiver, third] = [1, 2, 3] as const;

let store: MemoryEventStore;
let claims: MemoryClaims;
let runner: CommandRunner;
let invitations: MemoryInvitations;
beforeEach(async () => {
  store = new MemoryEventStore();
  claims = new MemoryClaims();
  invitations = new MemoryInvitations(claims);
  runner = new CommandRunner(store);
  await openAccounts(runner, giver, receiver, third);
  const wanted = { projectId: 'p', payerId: giver, settings: projectSettings, apiKey: { subject: 'project-p', sealed: '' }, preset: false };
  await runner.run(projectTarget('p'), systemContext({ kind: 'user', id: '1' }, 0), (project) => create(project, wanted));
  const slot = await claims.claimSlot(PROJECT_SLOT, String(giver), 1, 'p');
  await claims.keep(PROJECT_SLOT, slot ?? '', 'p');
});

const transfer = (by: number, to: number, { max = 1 }: { max?: number } = {}): Promise<void> => {
  const context = () => systemContext({ kind: 'user', id: String(by) }, 0);
  return handOver({ runner, claims, plans: plansWith(max), invitations }, context, { projectId: 'p', by, to });
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

  it('is with the last owner, however late an offer of one before is accepted', async () => {
    const context = () => systemContext({ kind: 'user', id: '1' }, 0);
    const late = new OfferTransferHandler(runner, invitations, { secret: () => Promise.resolve(Buffer.alloc(32)) });
    await late.execute(new OfferTransfer(context(), { projectId: 'p', to: receiver, by: giver, expiresAt: new Date(1_000) }));
    const [offer] = await invitations.of(receiver);
    await transfer(giver, third);
    const accept = new AcceptTransferHandler(runner, invitations, claims, plansWith(1));
    await expect(accept.execute(new AcceptTransfer(context(), { transferId: offer?.id ?? '', userId: receiver }))).rejects.toThrow(
      InvitationNotFound,
    );
    expect(await places()).toEqual([third]);
    await transfer(third, receiver);
    expect(await places()).toEqual([receiver]);
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
