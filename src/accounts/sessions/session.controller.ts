import { signInOriginOf } from '../sign-in/sign-in-origin.ts';
import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ChangePassword } from '../passwords/password.commands.ts';
import type { SignInOrigin } from './session.commands.ts';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { Principals } from '../sign-in/principals.ts';
import { ForcedDomains } from '../sign-in/provider/forced-domains.ts';
import { ProviderSignIn } from '../sign-in/provider/provider-sign-in.ts';
import { metered, type SignInKind, SignInMeter } from '../sign-in/provider/sign-in-meter.ts';
import { ConsoleSessions, SESSION_EXPIRY, requireOwnPage } from '../sign-in/session/console-sessions.ts';
import { CurrentClaims, sessionSlot } from '../sign-in/request-caller.ts';
import { SignIn, type SignedIn } from '../sign-in/sign-in.ts';
import type { TokenClaims } from '../sign-in/token-signer.ts';
import { CurrentContext, CurrentPrincipal } from '../../platform/http/context/decorators.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import type { RequestContext } from '../../platform/http/context/request-context.ts';
import { Forbidden, NotAuthenticated } from '../../platform/http/errors/refusals.ts';
import { success } from '../../platform/http/presentation/answers.ts';
import { Needs } from '../rights/needs.ts';
import { openRight, signOutRight, unconfirmedRight } from '../rights/right.ts';
import { SessionAnswers } from './session-answers.ts';
import {
  type SessionAnswer,
  ChoosePasswordDto,
  OpenSessionByLinkDto,
  OpenSessionByPasskeyDto,
  OpenSessionByProviderDto,
  OpenSessionDto,
} from './session.api.ts';

/** Sessions of the console: each way to sign in, with a cookie in place of the token (docs/spec/beyond.md#b13-console). */
@Controller('session')
export class SessionController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly commands: CommandBus,
    private readonly signIn: SignIn,
    private readonly provider: ProviderSignIn,
    private readonly sessions: ConsoleSessions,
    private readonly principals: Principals,
    private readonly answers: SessionAnswers,
    private readonly forced: ForcedDomains,
    private readonly meter: SignInMeter,
  ) {}

  @Post()
  @Needs(openRight)
  @HttpCode(200)
  open(
    @Body() body: OpenSessionDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionAnswer> {
    return this.opened('password', request, reply, (origin) => this.signIn.signIn(withExpiry(body), origin));
  }

  @Post('passkey')
  @Needs(openRight)
  @HttpCode(200)
  openByPasskey(
    @Body() body: OpenSessionByPasskeyDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionAnswer> {
    return this.opened('passkey', request, reply, (origin) => this.signIn.signInByPasskey(withExpiry(body), origin));
  }

  @Post('provider')
  @Needs(openRight)
  @HttpCode(200)
  openByProvider(
    @Body() body: OpenSessionByProviderDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionAnswer> {
    const { code, verifier, exp } = withExpiry(body);
    return this.opened('provider', request, reply, (origin) => {
      const secret = this.provider.secretOf(code, verifier ?? null, request.headers.cookie);
      return this.provider.exchange(code, secret, exp, origin);
    });
  }

  @Post('link')
  @Needs(openRight)
  @HttpCode(200)
  openByLink(
    @Body() body: OpenSessionByLinkDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionAnswer> {
    return this.opened('link', request, reply, (origin) => this.signIn.signInByLink(body, origin));
  }

  /** A session that a one-time link opened proves as much as a link that sets a password. It continues as a new one. */
  @Post('password')
  @Needs(unconfirmedRight)
  @HttpCode(200)
  async choosePassword(
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Body() { password }: ChoosePasswordDto,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SessionAnswer> {
    const session = sessionSlot.get(request);
    if (session?.byLink !== true) throw new Forbidden('Only a session that a one-time link opened needs no current password.');
    await this.forced.refuseAccount(userId, { exceptUnconfirmed: true });
    await this.commands.execute(new ChangePassword(context, { userId, password, by: 'link' }));
    await context.waitUntilVisible();
    return this.answer(await this.sessions.reopen(request, reply, session), false);
  }

  @Get()
  @Needs(unconfirmedRight)
  get(
    @CurrentPrincipal() principal: Principal,
    @CurrentClaims() { iat, exp }: TokenClaims,
    @Req() request: FastifyRequest,
  ): Promise<SessionAnswer> {
    const byLink = sessionSlot.get(request)?.byLink ?? false;
    return this.answers.of(principal, { issuedAt: iat * 1000, expiresAt: exp * 1000, byLink });
  }

  /** Signs out: ends the session, or the token of the request. */
  @Delete()
  @Needs(signOutRight)
  async end(
    @CurrentPrincipal() principal: Principal,
    @CurrentContext() context: RequestContext,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<object> {
    await this.commands.execute(this.principals.signOut(context, principal));
    if (sessionSlot.get(request) !== undefined) this.sessions.clear(request, reply);
    return success;
  }

  private async opened(
    kind: SignInKind,
    request: FastifyRequest,
    reply: FastifyReply,
    signIn: (origin: SignInOrigin) => Promise<SignedIn>,
  ): Promise<SessionAnswer> {
    // Also against a page elsewhere that signs the person in to an account of an attacker.
    requireOwnPage(request, this.config);
    const signedIn = await metered(this.meter, kind, true, () => signIn(signInOriginOf(request)));
    const byLink = kind === 'link';
    await this.sessions.begin(request, reply, signedIn, byLink);
    return this.answer(signedIn, byLink);
  }

  private async answer(signedIn: SignedIn, byLink: boolean): Promise<SessionAnswer> {
    const principal = await this.principals.load(signedIn.tokenId, signedIn.userId);
    if (principal === null) throw new NotAuthenticated();
    const [issuedAt, expiresAt] = [signedIn.issuedAt.getTime(), signedIn.expiresAt.getTime()];
    return this.answers.of(principal, { issuedAt, expiresAt, byLink });
  }
}

const withExpiry = <Body extends { readonly exp?: string | null }>(body: Body): Body & { readonly exp: string } => ({
  ...body,
  exp: body.exp ?? SESSION_EXPIRY,
});
