import { Body, Controller, Delete, Get, Param } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { UnlinkIdentity } from './identities/identity.commands.ts';
import { OBJECT_ID } from '../kernel/ids.ts';
import { accountView } from './account.view.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { ConfirmationDto } from './sign-in/authenticate.api.ts';
import { CurrentContext, CurrentPrincipal } from '../platform/http/context/decorators.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import type { RequestContext } from '../platform/http/context/request-context.ts';
import { NotFound } from '../platform/http/errors/refusals.ts';
import { inUtc, success } from '../platform/http/presentation/answers.ts';
import { Needs, NeedsRecentSignIn } from './rights/needs.ts';
import { accountRight } from './rights/right.ts';
import type { IdentityAnswer } from './identity.api.ts';

/** The persons of sign-in providers to which the caller's account is linked (docs/spec/decisions.md#A18). */
@Controller('account/identities')
export class IdentityController {
  constructor(
    private readonly commands: CommandBus,
    private readonly views: ViewsAt,
    private readonly keyring: Keyring,
  ) {}

  @Get()
  @Needs(accountRight)
  async list(@CurrentPrincipal() { userId }: Principal): Promise<readonly IdentityAnswer[]> {
    const account = await this.views.now().get(accountView, String(userId));
    return Promise.all(
      (account?.identities ?? []).map(async ({ identityId, issuer, subject, linkedAt }) => ({
        id: identityId,
        issuer,
        subject: await this.keyring.open(subject),
        linked: inUtc(linkedAt),
      })),
    );
  }

  @Delete(':id')
  @Needs(accountRight)
  @NeedsRecentSignIn()
  async unlink(
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Param('id') id: string,
    @Body() _confirmation: ConfirmationDto,
  ): Promise<object> {
    if (!OBJECT_ID.test(id)) throw new NotFound('The identity was not found.');
    await this.commands.execute(new UnlinkIdentity(context, { userId, identityId: id }));
    return success;
  }
}
