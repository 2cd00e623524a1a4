import { type Role, type RoleId, roles, switchesOf } from '../../domain/project/roles.ts';
import type { Person } from '../account/person.ts';
import { presentPerson } from '../account/person.presenter.ts';

/** docs/spec/interface.md#role. The roles are the service's own: they belong to no user. */
export const presentRole = (role: Role): object => ({
  id: role.id,
  users_id: null,
  name: role.name,
  permissions: role.permissions,
  systemRole: true,
  permissionsSwitches: switchesOf(role.id, false),
});

export interface PresentedMember {
  readonly person: Person;
  readonly role: RoleId;
  readonly owner: boolean;
}

/** docs/spec/interface.md#project-user. */
export const presentMember = ({ person, role, owner }: PresentedMember): object => ({
  ...presentPerson(person),
  role: { ...presentRole(roles[role]), permissionsSwitches: switchesOf(role, owner) },
  isPayer: owner,
  canBeRemoved: !owner,
});
