import { Inject, Injectable } from '@nestjs/common';
import { accountView } from '../../projections/read-models/account/account.view.ts';
import type { Views } from '../../projections/views/views.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';
import { People, type Person, presentPerson } from '../account/person.ts';
import { type Role, type RoleId, roles, switchesOf } from '../../domain/project/roles.ts';
import type { ProjectUserAnswer, RoleAnswer } from './member.description.ts';

/** Presents the members of a project to one of them, now or as of an instant. */
@Injectable()
export class MemberReading {
  constructor(@Inject(People) private readonly people: People) {}

  /** In the order in which they joined. A member whose account was erased is left out, even before the project's stream records it. */
  async all(views: Views, project: ProjectRow, callerId: number): Promise<readonly object[]> {
    const accounts = await views.many(
      accountView,
      project.members.map(({ userId }) => String(userId)),
    );
    const shown = project.members.map(async ({ userId, role }) => {
      const row = accounts.get(String(userId));
      if (row === undefined) return [];
      const person = await this.people.open(row, callerId);
      return [presentMember({ person, role, owner: userId === project.payerId })];
    });
    return (await Promise.all(shown)).flat();
  }

  async one(views: Views, project: ProjectRow, userId: number, callerId: number): Promise<object | null> {
    const members = project.members.filter((member) => member.userId === userId);
    return (await this.all(views, { ...project, members }, callerId))[0] ?? null;
  }
}

/** A system role, which belongs to no user (docs/spec/interface.md#role). */
export const presentRole = (role: Role): RoleAnswer => ({
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
export const presentMember = ({ person, role, owner }: PresentedMember): ProjectUserAnswer => ({
  ...presentPerson(person),
  role: { ...presentRole(roles[role]), permissionsSwitches: switchesOf(role, owner) },
  isPayer: owner,
  canBeRemoved: !owner,
});
