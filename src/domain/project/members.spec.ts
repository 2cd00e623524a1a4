import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addMember, changeRole, dismissMember, MemberNotFound, removeMembers, transfer } from './members.ts';
import { MembershipRefused } from './membership-refused.ts';
import { project, type Project, type ProjectEvent } from './project.ts';
import type { RoleId } from './roles.ts';
import type { ProjectSettings } from './settings.ts';

const [owner, admin, other, developer, guest, stranger] = [1, 2, 3, 4, 5, 9] as const;
const added = (userId: number, role: RoleId): ProjectEvent => ({ type: 'MemberAdded', data: { userId, role } });
const given = (...events: readonly ProjectEvent[]): Project => events.reduce(project.evolve, project.initial);
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
const state = given(...beginning);

describe('the users of a project', () => {
  it('are added by whoever manages users, and by nobody else', () => {
    expect(addMember(state, { userId: stranger, role: '5' }, admin)).toEqual([added(stranger, '5')]);
    for (const by of [developer, guest, stranger])
      expect(() => addMember(state, { userId: stranger, role: '6' }, by)).toThrow(MembershipRefused);
  });

  it('change their role when they are added again', () => {
    const changed = { type: 'MemberRoleChanged', data: { userId: guest, from: '6', to: '5' } };
    expect(addMember(state, { userId: guest, role: '5' }, admin)).toEqual([changed]);
    expect(changeRole(state, { userId: guest, role: '5' }, admin)).toEqual([changed]);
    expect(addMember(state, { userId: guest, role: '6' }, admin)).toEqual([]);
  });

  it('cannot lose the owner, nor the owner the role', () => {
    expect(() => removeMembers(state, [guest, owner], admin)).toThrow(MembershipRefused);
    expect(() => removeMembers(state, [owner], owner)).toThrow(MembershipRefused);
    expect(() => changeRole(state, { userId: owner, role: '6' }, admin)).toThrow(MembershipRefused);
  });

  it('leave by themselves whatever their role, and take nobody along without the right', () => {
    expect(removeMembers(state, [guest, guest], guest)).toEqual([{ type: 'MemberRemoved', data: { userId: guest } }]);
    expect(() => removeMembers(state, [guest, developer], guest)).toThrow(MembershipRefused);
  });

  it('are all removed or none', () => {
    expect(() => removeMembers(state, [guest, stranger], admin)).toThrow(MemberNotFound);
    expect(removeMembers(state, [guest, developer], admin)).toHaveLength(2);
  });

  it('keep one of two administrators who remove each other at once', () => {
    const first = removeMembers(state, [other], admin);
    expect(() => removeMembers(given(...beginning, ...first), [admin], other)).toThrow(MembershipRefused);
  });

  it('lose who erased the account, but never the owner', () => {
    expect(dismissMember(state, guest)).toEqual([{ type: 'MemberRemoved', data: { userId: guest } }]);
    expect(dismissMember(state, stranger)).toEqual([]);
    expect(dismissMember(state, owner)).toEqual([]);
  });

  it('get the project only from its owner, who stays an administrator', () => {
    expect(() => transfer(state, guest, admin)).toThrow(MembershipRefused);
    const transferred = given(...beginning, ...transfer(state, guest, owner));
    expect(transferred).toMatchObject({ payerId: guest });
    expect(transfer(transferred, guest, owner)).toEqual([]);
    expect(removeMembers(transferred, [owner], guest)).toHaveLength(1);
  });

  it('never grant more than they hold', () => {
    const anyRole = fc.constantFrom<RoleId>('4', '5', '6');
    fc.assert(
      fc.property(fc.constantFrom(owner, admin, developer, guest, stranger), anyRole, (by, role) => {
        const allowed = by === owner || by === admin;
        const attempt = () => addMember(state, { userId: 77, role }, by);
        if (allowed) expect(attempt()).toHaveLength(1);
        else expect(attempt).toThrow(MembershipRefused);
      }),
    );
  });
});
