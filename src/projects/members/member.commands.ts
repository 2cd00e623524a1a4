import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { changeRole, type Membership, removeMembers } from './member.decider.ts';
import { projectTarget } from '../project.state.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { Claims } from '../../platform/postgres/claims.ts';
import { withoutAccount } from '../ending.decider.ts';
import { deleteInParts } from '../delete-in-parts.ts';
import { requireMatch } from '../../platform/commands/precondition.ts';
import { PROJECT_SLOT } from '../project-slot.ts';
import { wholeProjectTarget } from '../project-stream.ts';
import { Invitations } from '../../accounts/tokens/invitations.ts';
import { usersTagIn } from '../project.view.ts';

/** Changes the role of a member, or of a pending invitation by its number. */
export class ChangeRole extends CommandOf<{ projectId: string; wanted: Membership; by: number }> {}

@CommandHandler(ChangeRole)
export class ChangeRoleHandler implements ICommandHandler<ChangeRole> {
  constructor(private readonly runner: CommandRunner) {}

  async execute({ context, fields: { projectId, wanted, by } }: ChangeRole): Promise<void> {
    await this.runner.run(projectTarget(projectId), context, (project) => {
      requireMatch(context, () => usersTagIn(projectId, project));
      return changeRole(project, wanted, by);
    });
  }
}

/** Withdraws invitations, too, by their numbers. */
export class RemoveMembers extends CommandOf<{ projectId: string; userIds: readonly number[]; by: number }> {}

@CommandHandler(RemoveMembers)
export class RemoveMembersHandler implements ICommandHandler<RemoveMembers> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly invitations: Invitations,
  ) {}

  async execute({ context, fields: { projectId, userIds, by } }: RemoveMembers): Promise<void> {
    const target = projectTarget(projectId);
    const { events } = await this.runner.run(target, context, (project) => {
      requireMatch(context, () => usersTagIn(projectId, project));
      return removeMembers(project, userIds, by);
    });
    await this.invitations.forget(events.flatMap(({ type, data }) => (type === 'InvitationWithdrawn' ? [data.invitationId] : [])));
  }
}

/** Removes an erased account from the project, or deletes a project that it owns. */
export class DismissMember extends CommandOf<{ projectId: string; userId: number }> {}

@CommandHandler(DismissMember)
export class DismissMemberHandler implements ICommandHandler<DismissMember> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly claims: Claims,
    private readonly invitations: Invitations,
  ) {}

  async execute({ context, fields: { projectId, userId } }: DismissMember): Promise<void> {
    const target = wholeProjectTarget(projectId);
    await deleteInParts(this.runner, target, context, { decide: ([project, list]) => withoutAccount(project, list, userId) });
    const [project] = await this.runner.read(target);
    if (project.kind !== 'deleted') return;
    await this.claims.releaseAll(PROJECT_SLOT, projectId);
    await this.invitations.forgetProject(projectId);
  }
}
