import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decide } from '../../../test/support/decide.ts';
import { addMember, changeRole, dismissMember, removeMembers, transfer } from './members.ts';
import { project, type ProjectEvent } from './project.ts';
import type { RoleId } from './roles.ts';
import type { ProjectSettings } from './settings.ts';

const [owner, admin, other, developer, guest, stranger] = [1, 2, 3, 4, 5, 9] as const;
const added = (userId: number, role: RoleId): ProjectEvent => ({ type: 'MemberAdded', data: { userId, role } });
const removed = (userId: number): ProjectEvent => ({ type: 'MemberRemoved', data: { userId } });
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
const { state } = begun;

describe('the members of a project', () => {
  it('are added only by members who may manage users', () => {
    begun.when((project) => addMember(project, { userId: stranger, role: '5' }, admin)).then(added(stranger, '5'));
    for (const by of [developer, guest, stranger])
      begun.when((project) => addMember(project, { userId: stranger, role: '6' }, by)).thenRefused('MEMBERSHIP_REFUSED');
  });

  it('change their role when they are added again', () => {
    const changed = { type: 'MemberRoleChanged', data: { userId: guest, from: '6', to: '5' } } as const;
    begun.when((project) => addMember(project, { userId: guest, role: '5' }, admin)).then(changed);
    begun.when((project) => changeRole(project, { userId: guest, role: '5' }, admin)).then(changed);
    begun.when((project) => addMember(project, { userId: guest, role: '6' }, admin)).then();
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

  it('receive the project only from its owner, who stays an administrator', () => {
    begun.when((project) => transfer(project, guest, admin)).thenRefused('MEMBERSHIP_REFUSED');
    const transferred = given(...beginning, ...transfer(state, guest, owner));
    expect(transferred.state).toMatchObject({ payerId: guest });
    transferred.when((project) => transfer(project, guest, owner)).then();
    transferred.when((project) => removeMembers(project, [owner], guest)).then(removed(owner));
  });

  it('never grant more than they hold', () => {
    const anyRole = fc.constantFrom<RoleId>('4', '5', '6');
    fc.assert(
      fc.property(fc.constantFrom(owner, admin, developer, guest, stranger), anyRole, (by, role) => {
        const attempt = begun.when((project) => addMember(project, { userId: 77, role }, by));
        if (by === owner || by === admin) attempt.then(added(77, role));
        else attempt.thenRefused('MEMBERSHIP_REFUSED');
      }),
    );
  });
});
