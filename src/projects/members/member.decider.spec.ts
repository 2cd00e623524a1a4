import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decide } from '../../../test/support/decide.ts';
import { invitationNumber } from '../invitation-number.ts';
import { acceptInvitation, declineInvitation, expireInvitation, invite } from './invitation.decider.ts';
import { changeRole, dismissMember, removeMembers } from './member.decider.ts';
import { project, type ProjectEvent } from '../project.state.ts';
import type { RoleId } from '../../accounts/rights/roles.ts';
import { acceptTransfer, declineTransfer, expireTransfer, offerTransfer, withdrawTransfer } from '../transfer.decider.ts';
import type { ProjectSettings } from '../project.settings.ts';

const [owner, admin, other, developer, guest, stranger] = [1, 2, 3, 4, 5, 9] as const;
const added = (userId: number, role: RoleId): ProjectEvent => ({ type: 'MemberAdded', data: { userId, role } });
const removed = (userId: number): ProjectEvent => ({ type: 'MemberRemoved', data: { userId } });
const invitationId = 'abcdef0123456789abcdef01';
const transferId = 'abcdef0123456789abcdef02';
const LATER = '1970-01-01T00:00:10.000Z';
const [before, after] = [9_999, 10_000] as const;
const wanted = (role: RoleId, by: number) => ({ invitationId, role, by, expiresAt: LATER });
const invited = (role: RoleId, by: number): ProjectEvent => ({ type: 'MemberInvited', data: wanted(role, by) });
const accepted = (userId: number): ProjectEvent => ({ type: 'InvitationAccepted', data: { invitationId, userId } });
const ended = (type: 'InvitationDeclined' | 'InvitationWithdrawn' | 'InvitationExpired'): ProjectEvent => ({
  type,
  data: { invitationId },
});
const offered = (to: number): ProjectEvent => ({ type: 'TransferOffered', data: { transferId, to, expiresAt: LATER } });
const { given } = decide(project);
const beginning: readonly ProjectEvent[] = [
  {
    type: 'ProjectCreated',
    data: {
      projectId: 'a'.repeat(24),
      payerId: owner,
      settings: { title: '' } as ProjectSettings,
      apiKey: { subject: 'project-a', sealed: '' },
      preset: false,
    },
  },
  added(admin, '4'),
  added(other, '4'),
  added(developer, '5'),
  added(guest, '6'),
];
const begun = given(...beginning);

describe('the members of a project', () => {
  it('are invited only by members who may manage users', () => {
    begun.when((project) => invite(project, wanted('5', admin), 100)).then(invited('5', admin));
    for (const by of [developer, guest, stranger])
      begun.when((project) => invite(project, wanted('6', by), 100)).thenRefused('MEMBERSHIP_REFUSED');
  });

  it('change their role', () => {
    const changed = { type: 'MemberRoleChanged', data: { userId: guest, from: '6', to: '5' } } as const;
    begun.when((project) => changeRole(project, { userId: guest, role: '5' }, admin)).then(changed);
    begun.when((project) => changeRole(project, { userId: guest, role: '6' }, admin)).then();
    begun.when((project) => changeRole(project, { userId: stranger, role: '6' }, admin)).thenRefused('MEMBER_NOT_FOUND');
  });

  it('always include the owner as an administrator', () => {
    begun.when((project) => removeMembers(project, [guest, owner], admin)).thenRefused('MEMBERSHIP_REFUSED');
    begun.when((project) => removeMembers(project, [owner], owner)).thenRefused('MEMBERSHIP_REFUSED');
    begun.when((project) => changeRole(project, { userId: owner, role: '6' }, admin)).thenRefused('MEMBERSHIP_REFUSED');
  });

  it('may leave with any role, but remove others only with the right to', () => {
    begun.when((project) => removeMembers(project, [guest, guest], guest)).then(removed(guest));
    begun.when((project) => removeMembers(project, [guest, developer], guest)).thenRefused('MEMBERSHIP_REFUSED');
  });

  it('are removed all or none', () => {
    begun.when((project) => removeMembers(project, [guest, stranger], admin)).thenRefused('MEMBER_NOT_FOUND');
    begun.when((project) => removeMembers(project, [guest, developer], admin)).then(removed(guest), removed(developer));
  });

  it('keep one of two administrators who remove each other at the same time', () => {
    given(...beginning, removed(other))
      .when((project) => removeMembers(project, [admin], other))
      .thenRefused('MEMBERSHIP_REFUSED');
  });

  it('are dismissed when their account is erased, except the owner', () => {
    begun.when((project) => dismissMember(project, guest)).then(removed(guest));
    begun.when((project) => dismissMember(project, stranger)).then();
    begun.when((project) => dismissMember(project, owner)).then();
  });

  it('never grant more than they hold', () => {
    const anyRole = fc.constantFrom<RoleId>('4', '5', '6');
    fc.assert(
      fc.property(fc.constantFrom(owner, admin, developer, guest, stranger), anyRole, (by, role) => {
        const attempt = begun.when((project) => invite(project, wanted(role, by), 100));
        if (by === owner || by === admin) attempt.then(invited(role, by));
        else attempt.thenRefused('MEMBERSHIP_REFUSED');
      }),
    );
  });
});

describe('an invitation', () => {
  const pending = given(...beginning, invited('5', admin));

  it('makes no account a member until it is accepted', () => {
    expect(pending.state).toEqual(expect.objectContaining({ members: begun.state.kind === 'open' ? begun.state.members : null }));
    pending.when((project) => acceptInvitation(project, invitationId, stranger, before)).then(accepted(stranger), added(stranger, '5'));
  });

  it.each(['InvitationDeclined', 'InvitationWithdrawn', 'InvitationExpired'] as const)('cannot be accepted after %s', (type) => {
    const over = given(...beginning, invited('5', admin), ended(type));
    over.when((project) => acceptInvitation(project, invitationId, stranger, before)).thenRefused('INVITATION_NOT_FOUND');
    over.when((project) => declineInvitation(project, invitationId)).then();
    over.when((project) => removeMembers(project, [invitationNumber(invitationId)], admin)).thenRefused('MEMBER_NOT_FOUND');
  });

  it('is accepted once, and not after its time', () => {
    pending.when((project) => acceptInvitation(project, invitationId, stranger, after)).thenRefused('INVITATION_NOT_FOUND');
    given(...beginning, invited('5', admin), accepted(stranger), added(stranger, '5'))
      .when((project) => acceptInvitation(project, invitationId, stranger, before))
      .thenRefused('INVITATION_NOT_FOUND');
    pending.when((project) => expireInvitation(project, invitationId, before)).then();
    pending.when((project) => expireInvitation(project, invitationId, after)).then(ended('InvitationExpired'));
  });

  it('leaves the role of an account that has become a member meanwhile', () => {
    pending.when((project) => acceptInvitation(project, invitationId, other, before)).then(accepted(other));
  });

  it('is sent again with another role, changed and withdrawn by those who manage users, all or none', () => {
    const number = invitationNumber(invitationId);
    pending.when((project) => invite(project, wanted('6', other), 100)).then(invited('6', other));
    const changed: ProjectEvent = { type: 'InvitationRoleChanged', data: { invitationId, from: '5', to: '6' } };
    pending.when((project) => changeRole(project, { userId: number, role: '6' }, admin)).then(changed);
    pending.when((project) => changeRole(project, { userId: number, role: '6' }, developer)).thenRefused('MEMBERSHIP_REFUSED');
    given(...beginning, invited('5', admin), changed)
      .when((project) => acceptInvitation(project, invitationId, stranger, before))
      .then(accepted(stranger), added(stranger, '6'));
    pending.when((project) => removeMembers(project, [guest, number], admin)).then(removed(guest), ended('InvitationWithdrawn'));
    pending.when((project) => removeMembers(project, [number, stranger], admin)).thenRefused('MEMBER_NOT_FOUND');
    pending.when((project) => removeMembers(project, [number], guest)).thenRefused('MEMBERSHIP_REFUSED');
  });

  it('is one of at most a hundred', () => {
    const many = Array.from({ length: 100 }, (_, index): ProjectEvent => ({
      type: 'MemberInvited',
      data: { ...wanted('6', admin), invitationId: String(index) },
    }));
    const full = given(...beginning, ...many);
    full.when((project) => invite(project, wanted('6', admin), 100)).thenRefused('TOO_MANY_INVITATIONS');
    full
      .when((project) => invite(project, { ...wanted('5', admin), invitationId: '7' }, 100))
      .then({ type: 'MemberInvited', data: { ...wanted('5', admin), invitationId: '7' } });
  });
});

describe('the number of an invitation', () => {
  it('is above every user id and fits into 32 bits', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{24}$/), (id) => {
        expect(invitationNumber(id)).toBeGreaterThanOrEqual(2 ** 30);
        expect(invitationNumber(id)).toBeLessThan(2 ** 31);
      }),
    );
  });
});

describe('an offered transfer', () => {
  const wish = { transferId, to: stranger, expiresAt: LATER };
  const pending = given(...beginning, offered(stranger));
  const transferred: ProjectEvent = { type: 'ProjectTransferred', data: { from: owner, to: stranger } };

  it('is made by the owner alone, to any number, and leaves the owner in place', () => {
    begun.when((project) => offerTransfer(project, wish, owner, 0)).then(offered(stranger));
    begun.when((project) => offerTransfer(project, wish, admin, 0)).thenRefused('MEMBERSHIP_REFUSED');
    begun.when((project) => offerTransfer(project, { ...wish, to: owner }, owner, 0)).then();
    expect(pending.state).toMatchObject({ payerId: owner });
  });

  it('is repeated without a further event, until its time is over', () => {
    pending.when((project) => offerTransfer(project, { ...wish, transferId: 'again' }, owner, before)).then();
    const again = { ...wish, transferId: 'again' };
    pending.when((project) => offerTransfer(project, again, owner, after)).then({ type: 'TransferOffered', data: again });
  });

  it('is accepted by the receiver, in time; the former owner stays an administrator who may be removed', () => {
    pending.when((project) => acceptTransfer(project, transferId, stranger, before)).then(transferred);
    pending.when((project) => acceptTransfer(project, transferId, admin, before)).thenRefused('INVITATION_NOT_FOUND');
    pending.when((project) => acceptTransfer(project, transferId, stranger, after)).thenRefused('INVITATION_NOT_FOUND');
    const done = given(...beginning, offered(stranger), transferred);
    expect(done.state).toMatchObject({ payerId: stranger, transfer: null });
    done.when((project) => removeMembers(project, [owner], stranger)).then(removed(owner));
  });

  it('ends when it is declined, withdrawn or over, or another offer replaces it', () => {
    const data = { transferId };
    pending.when((project) => declineTransfer(project, transferId)).then({ type: 'TransferDeclined', data });
    pending.when((project) => withdrawTransfer(project, owner)).then({ type: 'TransferWithdrawn', data });
    pending.when((project) => withdrawTransfer(project, admin)).thenRefused('MEMBERSHIP_REFUSED');
    pending.when((project) => expireTransfer(project, transferId, before)).then();
    pending.when((project) => expireTransfer(project, transferId, after)).then({ type: 'TransferExpired', data });
    for (const type of ['TransferDeclined', 'TransferWithdrawn', 'TransferExpired'] as const)
      given(...beginning, offered(stranger), { type, data })
        .when((project) => acceptTransfer(project, transferId, stranger, before))
        .thenRefused('INVITATION_NOT_FOUND');
    given(...beginning, offered(stranger), { type: 'TransferOffered', data: { transferId: 'other', to: guest, expiresAt: LATER } })
      .when((project) => acceptTransfer(project, transferId, stranger, before))
      .thenRefused('INVITATION_NOT_FOUND');
  });
});
