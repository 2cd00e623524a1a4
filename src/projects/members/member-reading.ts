import { Injectable } from '@nestjs/common';
import { accountView } from '../../accounts/account.view.ts';
import type { Views } from '../../platform/read-models/views/views.ts';
import type { ProjectRow } from '../project.view.ts';
import { noPreferences, People, type Person, presentLinkExpiry, presentPerson } from '../../accounts/person.ts';
import { type Role, type RoleId, roles, switchesOf } from '../../accounts/rights/roles.ts';
import { invitationNumber } from '../invitation-number.ts';
import { InvitationReading, type PendingMember } from './invitation-reading.ts';
import { inUtc } from '../../platform/http/presentation/answers.ts';
import type { KnownServiceAccount } from '../service-accounts/service-account.view.ts';
import type { ProjectUserAnswer, RemovalAnswer, RoleAnswer } from './member.api.ts';

/** Presents the members of a project to one of them, now or as of an instant. */
@Injectable()
export class MemberReading {
  constructor(
    private readonly people: People,
    private readonly invitations: InvitationReading,
  ) {}

  /**
   * In the order in which they joined, then those who are invited, for callers who may manage users. A member whose account was erased is left out, even
   * before the project's stream records it.
   */
  async all(views: Views, project: ProjectRow, caller: MemberReader): Promise<readonly ProjectUserAnswer[]> {
    const mayManage = caller.role !== null && roles[caller.role].permissions.includes('manageUsers');
    const [members, pending] = await Promise.all([
      this.members(views, project, caller.userId),
      mayManage ? this.invitations.pendingOf(project) : [],
    ]);
    return [...members, ...pending.map(presentPending)];
  }

  /** A member, or an invitation by its number. */
  async one(views: Views, project: ProjectRow, userId: number, callerId: number): Promise<ProjectUserAnswer | null> {
    const members = project.members.filter((member) => member.userId === userId);
    if (members.length > 0) return (await this.members(views, { ...project, members }, callerId))[0] ?? null;
    const invited = project.invitations.filter(({ invitationId }) => invitationNumber(invitationId) === userId);
    const [pending] = await this.invitations.pendingOf({ ...project, invitations: invited });
    return pending === undefined ? null : presentPending(pending);
  }

  private async members(views: Views, project: ProjectRow, callerId: number): Promise<readonly ProjectUserAnswer[]> {
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
}

export const presentLeftBehind = ({
  id,
  name,
  role,
  tokens,
}: KnownServiceAccount): NonNullable<RemovalAnswer['serviceAccounts']>[number] => ({
  id,
  name,
  // Cast: a project has no service account with a system role.
  role: role as RoleId,
  tokens: tokens.map(({ tokenId: tid, name: purpose, expiresAt }) => ({ tid, name: purpose, expiresAt: inUtc(expiresAt) })),
});

/** Who reads the list; without a role: an auditor. */
interface MemberReader {
  readonly userId: number;
  readonly role: RoleId | null;
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
  pending: false,
});

/** The address and the role as the inviter typed them; everything else is empty (docs/spec/decisions.md#A13). */
const presentPending = ({ userId, email, role, expiresAt }: PendingMember): ProjectUserAnswer => ({
  id: String(userId),
  email,
  phone: null,
  name: email === null ? null : email.slice(0, email.lastIndexOf('@')),
  confirmed: false,
  confirmTokenExpiration: presentLinkExpiry(expiresAt),
  ...noPreferences,
  notificationEmail: null,
  apiKey: '',
  role: { ...presentRole(roles[role]), permissionsSwitches: switchesOf(role, false) },
  isPayer: false,
  canBeRemoved: true,
  pending: true,
});
