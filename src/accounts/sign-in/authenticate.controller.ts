import { signInOriginOf } from './sign-in-origin.ts';
import { Body, Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CommandBus } from '@nestjs/cqrs';
import type { SignInOrigin } from '../sessions/session.commands.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { accountView } from '../account.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { type TokenClaims, TokenSigner } from './token-signer.ts';
import { CurrentContext, CurrentPrincipal } from '../../platform/http/context/decorators.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { type FactorChoice, NotAuthenticated } from '../../platform/http/errors/refusals.ts';
import { success } from '../../platform/http/presentation/answers.ts';
import { AuthenticateDto, ConfirmSessionDto, PasskeySignInDto } from './authenticate.api.ts';
import { claimsSlot } from './request-caller.ts';
import { metered, type SignInKind, SignInMeter } from './provider/sign-in-meter.ts';
import { RecentSignIn } from './recent-sign-in.ts';
import { SecondFactorCheck } from './second-factor-check.ts';
import { SignIn, type SignedIn, tokenAnswer } from './sign-in.ts';
import { Principals } from './principals.ts';
import { Needs } from '../rights/needs.ts';
import { enrolmentRight, openRight, signOutRight, tokenRight } from '../rights/right.ts';

/** docs/spec/interface.md#authenticate; docs/spec/decisions.md#A1 and #A2. */
@Controller('authenticate')
export class AuthenticateController {
  constructor(
    private readonly commands: CommandBus,
    private readonly signIn: SignIn,
    private readonly factors: SecondFactorCheck,
    private readonly recentSignIn: RecentSignIn,
    private readonly views: ViewsAt,
    private readonly keyring: Keyring,
    private readonly meter: SignInMeter,
    private readonly signer: TokenSigner,
    private readonly principals: Principals,
  ) {}

  @Post()
  @Needs(openRight)
  @HttpCode(200)
  async authenticate(
    @Body() body: AuthenticateDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    return this.signedIn('password', request, reply, (origin) => this.signIn.signIn(body, origin));
  }

  /** Options for `navigator.credentials.get`: of whichever account the authenticator holds a passkey for. */
  @Post('passkey/options')
  @Needs(openRight)
  @HttpCode(200)
  async passkeyOptions(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    void reply.header('cache-control', 'no-store');
    return this.factors.passkeyOptions({ purpose: 'sign in', userId: null });
  }

  @Post('passkey')
  @Needs(openRight)
  @HttpCode(200)
  async authenticateByPasskey(
    @Body() body: PasskeySignInDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    return this.signedIn('passkey', request, reply, (origin) => this.signIn.signInByPasskey(body, origin));
  }

  /** What the account of the token can be confirmed with. */
  @Post('confirm/options')
  @Needs(enrolmentRight)
  @HttpCode(200)
  async confirmOptions(@CurrentPrincipal() { userId }: Principal): Promise<FactorChoice> {
    const kinds = await this.factors.kindsOf(userId);
    return kinds.length === 0 ? { kinds: [], passkey: null } : this.factors.choiceOf(userId, kinds, 'confirm');
  }

  /** Step-up: the session of this request counts as signed in just now. */
  @Post('confirm')
  @Needs(enrolmentRight)
  @HttpCode(200)
  async confirm(
    @CurrentPrincipal() principal: Principal,
    @Body() { password = null, code, passkey }: ConfirmSessionDto,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    await this.recentSignIn.confirm(principal, password, { code, passkey }, request.ip);
    return success;
  }

  /** Signs out: ends the token of this request, of either kind. */
  @Delete()
  @Needs(signOutRight)
  async signOut(@CurrentPrincipal() principal: Principal, @CurrentContext() context: RequestContext): Promise<object> {
    await this.commands.execute(this.principals.signOut(context, principal));
    return success;
  }

  @Get()
  @Needs(tokenRight)
  async verify(
    @CurrentPrincipal() { userId, service }: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    const claims = claimsSlot.get(request);
    void reply.header('cache-control', 'no-store');
    if (claims !== undefined && service !== undefined) {
      const { id, name, projectId } = service;
      return { id: userId, name, email: '', ...timesOf(claims), serviceAccount: { id, projectId } };
    }
    const account = await this.views.now().get(accountView, String(userId));
    if (claims === undefined || account === null) throw new NotAuthenticated();
    const [name, email] = await Promise.all([this.keyring.open(account.name), this.keyring.open(account.email)]);
    return { id: userId, name, email, ...timesOf(claims) };
  }

  private async signedIn(
    kind: SignInKind,
    request: FastifyRequest,
    reply: FastifyReply,
    signIn: (origin: SignInOrigin) => Promise<SignedIn>,
  ): Promise<unknown> {
    return tokenAnswer(this.signer, request, reply, await metered(this.meter, kind, true, () => signIn(signInOriginOf(request))));
  }
}

const timesOf = ({ exp, tid, iat, nbf }: TokenClaims) => ({ exp, tid, iat, nbf });
