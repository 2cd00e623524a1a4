import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { AcceptInvitation, addressedTo, DeclineInvitation } from './invitation.commands.ts';
import { AcceptTransfer } from '../transfer.commands.ts';
import { type InvitationKind, Invitations } from '../../accounts/tokens/invitations.ts';
import { CurrentContext, CurrentPrincipal } from '../../platform/http/context/decorators.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { success } from '../../platform/http/presentation/answers.ts';
import { Needs } from '../../accounts/rights/needs.ts';
import { accountRight } from '../../accounts/rights/right.ts';
import { InvitationReading } from './invitation-reading.ts';

/** What the caller is invited to, and the projects that are offered to the caller. */
@Controller('account')
export class InvitationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly stored: Invitations,
    private readonly reading: InvitationReading,
  ) {}

  @Get('invitations')
  @Needs(accountRight)
  listInvitations(@CurrentPrincipal() { userId }: Principal): Promise<readonly object[]> {
    return this.reading.invitationsTo(userId);
  }

  @Post('invitations/:id/accept')
  @Needs(accountRight)
  @HttpCode(200)
  async accept(
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Param('id') id: string,
  ): Promise<object> {
    await this.commands.execute(new AcceptInvitation(context, { invitationId: id, userId }));
    return success;
  }

  @Post('invitations/:id/decline')
  @Needs(accountRight)
  @HttpCode(200)
  decline(@CurrentPrincipal() caller: Principal, @CurrentContext() context: RequestContext, @Param('id') id: string): Promise<object> {
    return this.declineIt('member', id, caller, context);
  }

  @Get('transfers')
  @Needs(accountRight)
  listTransfers(@CurrentPrincipal() { userId }: Principal): Promise<readonly object[]> {
    return this.reading.transfersTo(userId);
  }

  @Post('transfers/:id/accept')
  @Needs(accountRight)
  @HttpCode(200)
  async acceptTransfer(
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Param('id') id: string,
  ): Promise<object> {
    await this.commands.execute(new AcceptTransfer(context, { transferId: id, userId }));
    return success;
  }

  @Post('transfers/:id/decline')
  @Needs(accountRight)
  @HttpCode(200)
  declineTransfer(
    @CurrentPrincipal() caller: Principal,
    @CurrentContext() context: RequestContext,
    @Param('id') id: string,
  ): Promise<object> {
    return this.declineIt('owner', id, caller, context);
  }

  private async declineIt(kind: InvitationKind, id: string, { userId }: Principal, context: RequestContext): Promise<object> {
    const invitation = await addressedTo(this.stored, kind, id, userId);
    await this.commands.execute(new DeclineInvitation(context, { invitation }));
    return success;
  }
}
