import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { GenerateRecoveryCodes } from './recovery-code.commands.ts';
import { AddPasskey, ConfirmTotp, EnrolTotp, RemoveFactors, RenameFactor } from './second-factor.commands.ts';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { Plans, mustHaveFactor } from '../plan.ts';
import { accountView, type AccountRow } from '../account.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { Challenges } from './challenges.ts';
import { FactorStore } from './factor-store.ts';
import { registrationOptions, requireRelyingParty, userHandle } from './passkeys.ts';
import { otpauthUri } from './totp.ts';
import { ConfirmationDto } from '../sign-in/authenticate.api.ts';
import { CurrentContext, CurrentPrincipal } from '../../platform/http/context/decorators.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { NotAuthenticated } from '../../platform/http/errors/refusals.ts';
import { inUtc, success } from '../../platform/http/presentation/answers.ts';
import { Needs, NeedsRecentSignIn } from '../rights/needs.ts';
import { enrolmentRight } from '../rights/right.ts';
import { type FactorsAnswer, AddPasskeyDto, ConfirmTotpDto, RenameFactorDto } from './second-factor.api.ts';

/** Second factors of the caller's own account (docs/spec/decisions.md#A16). */
@Controller('account/second-factors')
@Needs(enrolmentRight)
export class SecondFactorController {
  constructor(
    private readonly commands: CommandBus,
    private readonly views: ViewsAt,
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
    private readonly store: FactorStore,
    private readonly challenges: Challenges,
    private readonly plans: Plans,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  async list(@CurrentPrincipal() principal: Principal): Promise<FactorsAnswer> {
    const [row, lastUses] = await Promise.all([this.account(principal), this.store.lastUses(principal.userId)]);
    const factors = row.secondFactors.map(async ({ factorId, kind, name, createdAt }) => {
      const lastUsed = lastUses.get(factorId);
      return {
        id: factorId,
        kind,
        name: (await this.keyring.open(name)) ?? '',
        created: inUtc(createdAt),
        lastUsed: lastUsed === undefined ? null : inUtc(lastUsed.getTime()),
      };
    });
    const { recoveryCodes } = row;
    return {
      factors: await Promise.all(factors),
      recoveryCodes: recoveryCodes === null ? null : { created: inUtc(recoveryCodes.generatedAt), left: recoveryCodes.left },
      required: mustHaveFactor(principal, this.plans, this.config),
    };
  }

  /** The secret is shown in this answer only. */
  @Post('totp')
  @NeedsRecentSignIn()
  @HttpCode(200)
  async enrolTotp(
    @CurrentPrincipal() principal: Principal,
    @CurrentContext() context: RequestContext,
    @Body() _confirmation: ConfirmationDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const email = await this.keyring.open((await this.account(principal)).email);
    const { factorId, secret } = await this.commands.execute(new EnrolTotp(context, { userId: principal.userId }));
    void reply.header('cache-control', 'no-store');
    return { id: factorId, secret, uri: otpauthUri(secret, email ?? '') };
  }

  /** Without a recent sign-in of its own: only who began it knows the secret. */
  @Post('totp/:id/confirm')
  @HttpCode(200)
  async confirmTotp(
    @CurrentPrincipal() { userId, tokenId }: Principal,
    @CurrentContext() context: RequestContext,
    @Param('id') id: string,
    @Body() { code, name = 'authenticator app' }: ConfirmTotpDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { factorId, recoveryCodes } = await this.commands.execute(
      new ConfirmTotp(context, { userId, factorId: id, name, code, tokenId }),
    );
    void reply.header('cache-control', 'no-store');
    return { id: factorId, recoveryCodes };
  }

  @Post('passkeys/options')
  @NeedsRecentSignIn()
  @HttpCode(200)
  async passkeyOptions(
    @CurrentPrincipal() principal: Principal,
    @Body() _confirmation: ConfirmationDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const { userId } = principal;
    const row = await this.account(principal);
    const [email, name, handle, challenge, known] = await Promise.all([
      this.keyring.open(row.email),
      this.keyring.open(row.name),
      userHandle(this.secrets, userId),
      this.challenges.create({ purpose: 'register', userId }),
      this.store.passkeysOf(userId),
    ]);
    void reply.header('cache-control', 'no-store');
    const inForce = known.filter(({ factorId }) => row.secondFactors.some((factor) => factor.factorId === factorId));
    return registrationOptions(requireRelyingParty(this.config), { handle, email: email ?? '', name: name ?? '' }, challenge, inForce);
  }

  @Post('passkeys')
  @NeedsRecentSignIn()
  @HttpCode(200)
  async addPasskey(
    @CurrentPrincipal() { userId, tokenId }: Principal,
    @CurrentContext() context: RequestContext,
    @Body() { passkey, name = 'passkey' }: AddPasskeyDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const party = requireRelyingParty(this.config);
    const { factorId, recoveryCodes } = await this.commands.execute(
      new AddPasskey(context, { userId, party, name, response: passkey, tokenId }),
    );
    void reply.header('cache-control', 'no-store');
    return { id: factorId, recoveryCodes };
  }

  @Put(':id')
  async rename(
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Param('id') id: string,
    @Body() { name }: RenameFactorDto,
  ): Promise<object> {
    await this.commands.execute(new RenameFactor(context, { userId, factorId: id, name }));
    return success;
  }

  @Delete(':id')
  @NeedsRecentSignIn()
  async remove(
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Param('id') factorId: string,
    @Body() _confirmation: ConfirmationDto,
  ): Promise<object> {
    await this.commands.execute(new RemoveFactors(context, { userId, what: { factorId } }));
    return success;
  }

  /** The codes are shown in this answer only. */
  @Post('recovery-codes')
  @NeedsRecentSignIn()
  @HttpCode(200)
  async generateCodes(
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Body() _confirmation: ConfirmationDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const recoveryCodes = await this.commands.execute(new GenerateRecoveryCodes(context, { userId }));
    void reply.header('cache-control', 'no-store');
    return { recoveryCodes };
  }

  private async account({ userId }: Principal): Promise<AccountRow> {
    const row = await this.views.now().get(accountView, String(userId));
    if (row === null) throw new NotAuthenticated();
    return row;
  }
}
