import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Departures } from '../../accounts/erasure/account-erasure.ts';
import type { StoredInvitation } from '../../accounts/tokens/invitations.ts';
import { derivedId } from '../../kernel/ids.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { projectView } from '../project.view.ts';
import { DeclineInvitation } from './invitation.commands.ts';
import { DismissMember } from './member.commands.ts';

/** Nest's command bus, or another executor of these commands. */
interface DepartureBus {
  execute(command: DeclineInvitation | DismissMember): Promise<void>;
}

@Injectable()
export class MemberDepartures implements Departures {
  constructor(
    @Inject(CommandBus) private readonly bus: DepartureBus,
    private readonly views: ViewsAt,
  ) {}

  async leave(context: CommandContext, userId: number, pending: readonly StoredInvitation[]): Promise<void> {
    for (const invitation of pending) {
      const commandId = derivedId('declined', context.commandId, invitation.id);
      await this.bus.execute(new DeclineInvitation({ ...context, commandId }, { invitation }));
    }
    const projects = await this.views.now().list(projectView, { where: { members: { has: userId } } });
    for (const { key } of projects) await this.bus.execute(new DismissMember(context, { projectId: key, userId }));
  }
}
