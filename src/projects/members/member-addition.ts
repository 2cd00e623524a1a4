import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { InviteMember } from './invitation.commands.ts';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import type { RoleId } from '../../accounts/rights/roles.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { scopesOfRole } from '../../accounts/rights/scopes.ts';
import { ScopeCheck } from '../../accounts/tokens/token-uses.ts';
import { InvitationMail } from './invitation-mail.ts';
import { DAY_MS } from '../../kernel/time.ts';

export const invitationExpiry = (
  { occurredAt }: Pick<RequestContext, 'occurredAt'>,
  { invitationDays }: Pick<Config, 'invitationDays'>,
): Date => new Date(Date.parse(occurredAt) + invitationDays * DAY_MS);

/** Adds members by their addresses. */
@Injectable()
export class MemberAddition {
  constructor(
    private readonly commands: CommandBus,
    @Inject(CONFIG) private readonly config: Config,
    private readonly mail: InvitationMail,
    private readonly scopes: ScopeCheck,
  ) {}

  /** Invites the address, or changes the role of the member that has it. Answers the user id, or the number of the invitation. */
  async add(
    caller: Principal,
    context: RequestContext,
    projectId: string,
    { email, role }: { readonly email: string; readonly role: RoleId },
  ): Promise<number> {
    this.scopes.require(caller, scopesOfRole(role));
    const expiresAt = invitationExpiry(context, this.config);
    const command = new InviteMember(context, { projectId, email, role, by: caller.userId, expiresAt, most: this.config.maxInvitations });
    const { userId, token } = await this.commands.execute(command);
    if (token !== null) await this.mail.invite({ email, by: caller.userId, token, expiresAt });
    return userId;
  }
}
