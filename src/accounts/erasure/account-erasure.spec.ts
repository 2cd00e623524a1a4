import { beforeEach, describe, expect, it } from '@jest/globals';
import { handOver } from '../../../test/support/hand-over.ts';
import { openAccounts, plansWith } from '../../../test/support/open-accounts.ts';
import { MemoryViews } from '../../../test/support/memory-views.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { MemoryClaims } from '../../../test/support/memory/memory-claims.ts';
import { MemoryInvitations } from '../../../test/support/memory/memory-invitations.ts';
import { EraseAccount } from '../account.commands.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { DeclineInvitation, DeclineInvitationHandler } from '../../projects/members/invitation.commands.ts';
import { DismissMember, DismissMemberHandler } from '../../projects/members/member.commands.ts';
import { OfferTransfer, OfferTransferHandler } from '../../projects/transfer.commands.ts';
import { accountTarget } from '../account.state.ts';
import { erase } from '../account.decider.ts';
import { create } from '../../projects/project.decider.ts';
import { InvitationNotFound } from '../../projects/members/invitation.decider.ts';
import { type Project, projectTarget } from '../../projects/project.state.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { MemberDepartures } from '../../projects/members/member-departures.ts';
import { AccountErasure } from './account-erasure.ts';

const [gone, other] = [1, 2] as const;
const context = () => systemContext({ kind: 'user', id: '1' }, 0, { commandId: 'erasure' });
const someContext = () => systemContext({ kind: 'user', id: '1' }, 0);

let store: MemoryEventStore;
let claims: MemoryClaims;
let runner: CommandRunner;
let invitations: MemoryInvitations;
type ErasureStep = DeclineInvitation | DismissMember | EraseAccount;
/** Another writer, just before a step of the erasure. */
let meanwhile: (step: ErasureStep) => Promise<void>;

const begin = async (projectId: string, payerId: number): Promise<void> => {
  const wanted = { projectId, payerId, settings: projectSettings, apiKey: { subject: `project-${projectId}`, sealed: '' }, preset: false };
  await runner.run(projectTarget(projectId), someContext(), (project) => create(project, wanted));
};
const give = (projectId: string, by: number, to: number): Promise<void> =>
  handOver({ runner, claims, plans: plansWith(null), invitations }, someContext, { projectId, by, to });
const standing = (projectId: string): Promise<Project> => runner.read(projectTarget(projectId));

beforeEach(async () => {
  store = new MemoryEventStore();
  claims = new MemoryClaims();
  invitations = new MemoryInvitations(claims);
  runner = new CommandRunner(store);
  meanwhile = () => Promise.resolve();
  await openAccounts(runner, gone, other);
  await begin('a', gone);
  await begin('b', gone);
  await begin('c', other);
});

const eraseIt = (): Promise<void> => {
  const bus = {
    execute: async (command: ErasureStep) => {
      await meanwhile(command);
      if (command instanceof DismissMember) return new DismissMemberHandler(runner, claims, invitations).execute(command);
      if (command instanceof DeclineInvitation) return new DeclineInvitationHandler(runner, invitations).execute(command);
      await runner.run(accountTarget(command.fields.userId), command.context, erase);
    },
  };
  const noted = { begin: () => Promise.resolve(), done: () => Promise.resolve() };
  const notice = { store: () => Promise.resolve() };
  const departures = new MemberDepartures(bus, new MemoryViews(() => store.events));
  return new AccountErasure(bus, noted, invitations, departures, notice).erase(context(), gone);
};

describe('erasing an account', () => {
  it('deletes its own projects and ends its memberships', async () => {
    await runner.run(projectTarget('c'), someContext(), () => [
      { type: 'MemberAdded' as const, data: { userId: gone, role: '4' as const } },
    ]);
    await eraseIt();
    expect((await standing('a')).kind).toBe('deleted');
    expect((await standing('b')).kind).toBe('deleted');
    expect(await standing('c')).toMatchObject({ kind: 'open', members: new Map([[other, '4']]) });
  });

  it('keeps a project that was transferred before', async () => {
    meanwhile = async (step) => {
      if (step instanceof DismissMember && step.fields.projectId === 'a') await give('b', gone, other);
    };
    await eraseIt();
    expect(await standing('b')).toMatchObject({ kind: 'open', payerId: other, members: new Map([[other, '4']]) });
  });

  it('declines what is offered to it', async () => {
    const offer = new OfferTransferHandler(runner, invitations, { secret: () => Promise.resolve(Buffer.alloc(32)) });
    await offer.execute(new OfferTransfer(someContext(), { projectId: 'c', to: gone, by: other, expiresAt: new Date(1_000) }));
    await eraseIt();
    expect(await standing('c')).toMatchObject({ kind: 'open', payerId: other, transfer: null });
    const declined = store.events.find(({ type }) => type === 'TransferDeclined');
    expect(declined?.meta.actor).toEqual({ kind: 'reactor', id: 'invitations' });
  });

  it('deletes a project transferred to it during the erasure, and refuses transfers afterwards', async () => {
    meanwhile = async (step) => {
      if (step instanceof EraseAccount) await give('c', other, gone);
    };
    await eraseIt();
    expect((await standing('c')).kind).toBe('deleted');
    await begin('d', other);
    await expect(give('d', other, gone)).rejects.toThrow(InvitationNotFound);
    expect(await standing('d')).toMatchObject({ payerId: other });
  });
});
