import { beforeEach, describe, expect, it } from '@jest/globals';
import { openAccounts } from '../../../test/support/open-accounts.ts';
import { projectSettings } from '../../../test/support/project-settings.ts';
import { MemoryClaims } from '../../../test/support/memory/memory-claims.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { MemoryInvitations } from '../../../test/support/memory/memory-invitations.ts';
import { MemoryKeyring } from '../../../test/support/memory/memory-keyring.ts';
import { accountTarget } from '../../accounts/account.state.ts';
import { AddressNotConfirmed, openAccount } from '../../accounts/account.decider.ts';
import { create } from '../project.decider.ts';
import { InvitationNotFound } from './invitation.decider.ts';
import { MembershipRefused } from '../membership-refused.ts';
import { type Project, projectTarget } from '../project.state.ts';
import { EMAIL_CLAIM, EmailDirectory } from '../../accounts/email-directory.ts';
import { CommandRunner, TooContended } from '../../platform/commands/command-runner.ts';
import { type CommandContext, systemContext } from '../../platform/commands/context.ts';
import { AcceptInvitation, AcceptInvitationHandler, type InvitedMember, InviteMember, InviteMemberHandler } from './invitation.commands.ts';
import { OfferTransfer, OfferTransferHandler } from '../transfer.commands.ts';

const [owner, known, unconfirmed, stranger] = [1, 2, 3, 4] as const;
const addresses = new Map<number, string>([
  [known, 'known@example.test'],
  [unconfirmed, 'unconfirmed@example.test'],
]);
const secrets = { secret: () => Promise.resolve(Buffer.alloc(32)) };

let store: MemoryEventStore;
let runner: CommandRunner;
let invitations: MemoryInvitations;
let directory: EmailDirectory;
beforeEach(async () => {
  store = new MemoryEventStore();
  runner = new CommandRunner(store);
  const claims = new MemoryClaims();
  invitations = new MemoryInvitations(claims);
  directory = new EmailDirectory(claims, secrets);
  await openAccounts(runner, owner, known);
  const sealed = { subject: 'account-3', sealed: 'x' };
  const wanted = { userId: unconfirmed, email: sealed, name: sealed, apiKey: sealed, plan: 'basic', systemRole: null } as const;
  await runner.run(accountTarget(unconfirmed), context(), (account) =>
    openAccount(account, { ...wanted, confirmed: false, by: 'registration' }),
  );
  for (const [userId, email] of addresses)
    await claims.claim(EMAIL_CLAIM, await directory.hashOf(email), `account-${String(userId)}`, 1_000_000);
  const project = { projectId: 'p', payerId: owner, settings: projectSettings, apiKey: { subject: 'p', sealed: '' }, preset: false };
  await runner.run(projectTarget('p'), context(), (state) => create(state, project));
});

const context = (commandId?: string): CommandContext =>
  systemContext({ kind: 'user', id: '1' }, 0, commandId === undefined ? {} : { commandId });
const invite = (email: string, { by = owner, commandId }: { by?: number; commandId?: string } = {}): Promise<InvitedMember> =>
  new InviteMemberHandler(runner, invitations, directory, new MemoryKeyring(), secrets).execute(
    new InviteMember(context(commandId), { projectId: 'p', email, role: '6', by, expiresAt: new Date(1_000), most: 100 }),
  );
const accept = async (userId: number): Promise<string> => {
  const [row] = await invitations.ofProject('p');
  return new AcceptInvitationHandler(runner, invitations).execute(new AcceptInvitation(context(), { invitationId: row?.id ?? '', userId }));
};
const project = (): Promise<Project> => runner.read(projectTarget('p'));
const types = (): readonly string[] => store.events.filter(({ stream }) => stream === 'project-p').map(({ type }) => type);

describe('inviting an address', () => {
  it('writes the same events for one with and one without an account, and names neither', async () => {
    const [one, two] = [await invite('known@example.test'), await invite('unknown@example.test')];
    expect([one.token, two.token]).toEqual([expect.any(String), expect.any(String)]);
    const [first, second] = store.events.slice(-2).map(({ type, data }) => ({ type, ...data }));
    expect(first).toEqual({ ...second, invitationId: expect.any(String) });
    expect(await project()).toMatchObject({ members: new Map([[owner, '4']]) });
  });

  it('is one invitation however often, also repeated after a crash', async () => {
    const first = await invite('known@example.test', { commandId: 'k' });
    expect((await invite('known@example.test', { commandId: 'k' })).userId).toBe(first.userId);
    expect((await invite('Known@Example.test')).userId).toBe(first.userId);
    expect(types()).toEqual(['ProjectCreated', 'MemberInvited', 'MemberInvited']);
  });

  it('leaves no row behind when it is refused', async () => {
    await expect(invite('known@example.test', { by: stranger })).rejects.toThrow(MembershipRefused);
    expect(await invitations.ofProject('p')).toEqual([]);
  });

  it('is withdrawn when it was answered at the same moment: an invitation without an addressee would be left', async () => {
    invitations.keep = () => Promise.resolve(false);
    await expect(invite('known@example.test')).rejects.toThrow(TooContended);
    expect(types()).toEqual(['ProjectCreated', 'MemberInvited', 'InvitationWithdrawn']);
  });
});

describe('accepting an invitation', () => {
  it('is for its addressee alone, and only with a confirmed address', async () => {
    await invite('unconfirmed@example.test');
    await expect(accept(unconfirmed)).rejects.toThrow(AddressNotConfirmed);
    await expect(accept(known)).rejects.toThrow(InvitationNotFound);
    expect(types().at(-1)).toBe('MemberInvited');
  });

  it('makes a member, and forgets the address', async () => {
    await invite('known@example.test');
    expect(await accept(known)).toBe('p');
    expect(types().slice(-2)).toEqual(['InvitationAccepted', 'MemberAdded']);
    expect(await invitations.ofProject('p')).toEqual([]);
  });
});

describe('offering a project', () => {
  const offer = (to: number): Promise<string | null> =>
    new OfferTransferHandler(runner, invitations, secrets).execute(
      new OfferTransfer(context(), { projectId: 'p', to, by: owner, expiresAt: new Date(1_000) }),
    );

  it('writes the same for a number without an account, which a later account does not get', async () => {
    expect(await offer(stranger)).toEqual(expect.any(String));
    expect(types().at(-1)).toBe('TransferOffered');
    await openAccounts(runner, stranger);
    expect(await invitations.of(stranger)).toEqual([]);
    expect(await offer(known)).toEqual(expect.any(String));
    expect((await invitations.ofProject('p')).map(({ userId }) => userId)).toEqual([known]);
  });

  it('again adds the row that a crash left out, and mails nothing otherwise', async () => {
    await offer(known);
    expect(await offer(known)).toBeNull();
    await invitations.forgetProject('p');
    expect(await offer(known)).toEqual(expect.any(String));
    expect(types().filter((type) => type === 'TransferOffered')).toHaveLength(1);
    expect(await invitations.of(known)).toHaveLength(1);
  });
});
