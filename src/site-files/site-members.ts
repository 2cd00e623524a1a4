import { Injectable } from '@nestjs/common';
import type { RoleId } from '../accounts/rights/roles.ts';
import { derivedId } from '../kernel/ids.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import type { RequestContext } from '../platform/http/context/request-context.ts';
import type { ProjectAccess } from '../projects/request-project.ts';
import { Forbidden } from '../platform/http/errors/refusals.ts';
import { MemberAddition } from '../projects/members/member-addition.ts';
import { MemberReading } from '../projects/members/member-reading.ts';
import { mayUse } from '../accounts/rights/project-rights.ts';
import { requireScopes } from '../accounts/rights/scopes.ts';
import type { SiteChange } from './site-changes.ts';
import type { SiteFile } from './site-file.dto.ts';

interface SiteMember {
  readonly email: string;
  readonly role: RoleId;
}

/** Members of a site file: they are invited, or their role changes, after the append of the project, because their addresses stand beside the log. None is ever removed. */
@Injectable()
export class SiteMembers {
  constructor(
    private readonly views: ViewsAt,
    private readonly reading: MemberReading,
    private readonly addition: MemberAddition,
  ) {}

  async changes(caller: Principal, access: ProjectAccess | null, wanted: SiteFile['members']): Promise<readonly SiteChange[]> {
    if (wanted === undefined || wanted.length === 0) return [];
    const known = new Map((access === null ? [] : await this.all(access, caller)).map((member) => [member.email.toLowerCase(), member]));
    const changes = wanted.flatMap(({ email, role }): readonly SiteChange[] => {
      const before = known.get(email.toLowerCase());
      if (before?.role === role) return [];
      const fields = [{ path: 'role', from: before === undefined ? null : Number(before.role), to: Number(role) }];
      return [{ action: before === undefined ? 'create' : 'change', kind: 'member', id: before?.id ?? null, name: email, fields }];
    });
    if (changes.length > 0) requireScopes(caller, ['manageUsers']);
    if (changes.length > 0 && access !== null && !mayUse(access, 'manageUsers', caller)) throw new Forbidden();
    return changes;
  }

  async apply(
    caller: Principal,
    context: RequestContext,
    projectId: string,
    wanted: SiteFile['members'],
    changes: readonly SiteChange[],
  ): Promise<void> {
    const changed = new Set(changes.map(({ name }) => name));
    for (const member of wanted ?? [])
      if (changed.has(member.email))
        await this.addition.add(
          caller,
          { ...context, commandId: derivedId('member', context.commandId, projectId, member.email) },
          projectId,
          member,
        );
  }

  /** For a file: all but the owner, as far as the caller sees them. */
  async written(access: ProjectAccess, caller: Principal): Promise<readonly SiteMember[]> {
    return (await this.all(access, caller)).filter(({ isPayer }) => !isPayer).map(({ email, role }) => ({ email, role }));
  }

  private async all(
    { row, role }: ProjectAccess,
    { userId }: Principal,
  ): Promise<readonly (SiteMember & { readonly id: string; readonly isPayer: boolean })[]> {
    const users = await this.reading.all(this.views.now(), row, { userId, role });
    return users.flatMap(({ id, email, role: held, isPayer }) => (email === null ? [] : [{ id, email, role: held.id, isPayer }]));
  }
}
