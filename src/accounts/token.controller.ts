import { Body, Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { accountStream } from '../kernel/stream-names.ts';
import { unlimited } from './token-scopes.ts';
import { type LoginSession, SessionStore } from './tokens/session-store.ts';
import { ScopeUses } from './tokens/token-uses.ts';
import { type LastUse, TokenStore } from './tokens/token-store.ts';
import type { SignInOrigin } from './sessions/session.commands.ts';
import { IssueToken, RevokeToken } from './tokens/token.commands.ts';
import { OBJECT_ID } from '../kernel/ids.ts';
import { accountView, type PersonalToken } from './account.view.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { type TokenClaims, TokenSigner } from './sign-in/token-signer.ts';
import { CurrentContext, CurrentPrincipal } from '../platform/http/context/decorators.ts';
import { CurrentClaims } from './sign-in/request-caller.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import type { RequestContext } from '../platform/http/context/request-context.ts';
import { openTokenLimits } from './sign-in/principals.ts';
import { NotFound } from '../platform/http/errors/refusals.ts';
import { inUtc, success } from '../platform/http/presentation/answers.ts';
import { type PersonalTokenAnswer, type TokenUsageAnswer, CreateTokenDto } from './token.api.ts';
import { expiryOfToken, TokenNarrowing } from './token-narrowing.ts';
import { presentTokenUsage } from './token-usage.ts';
import { Needs, NeedsRecentSignIn } from './rights/needs.ts';
import { accountRight } from './rights/right.ts';

/** Personal access tokens and sessions (docs/spec/decisions.md#A4). */
@Controller('account/tokens')
export class TokenController {
  constructor(
    private readonly commands: CommandBus,
    private readonly views: ViewsAt,
    private readonly keyring: Keyring,
    private readonly tokens: TokenStore,
    private readonly sessions: SessionStore,
    private readonly signer: TokenSigner,
    private readonly narrowing: TokenNarrowing,
    private readonly uses: ScopeUses,
  ) {}

  /** The token is shown in this answer only. */
  @Post()
  @Needs(accountRight)
  @NeedsRecentSignIn()
  @HttpCode(200)
  async create(
    @CurrentPrincipal() caller: Principal,
    @CurrentClaims() claims: TokenClaims,
    @CurrentContext() context: RequestContext,
    @Body() body: CreateTokenDto,
  ): Promise<object> {
    const { userId } = caller;
    const expiry = expiryOfToken(body, caller, claims, Date.parse(context.occurredAt));
    const limits = await this.narrowing.limitsOf(caller, body);
    const issued = await this.commands.execute(new IssueToken(context, { userId, name: body.name, expiresAt: expiry, limits }));
    const { tokenId, issuedAt, expiresAt } = issued;
    const token = this.signer.sign(userId, tokenId, issued);
    return {
      token,
      tid: tokenId,
      kind: 'personal',
      name: body.name,
      created: inUtc(issuedAt.getTime()),
      expiresAt: inUtc(expiresAt.getTime()),
      ...limits,
      ...neverUsed,
      ...withoutOrigin,
    };
  }

  @Get()
  @Needs(accountRight)
  async list(@CurrentPrincipal() { userId, tokenId: current }: Principal): Promise<readonly object[]> {
    const [account, lastUses, sessions] = await Promise.all([
      this.views.now().get(accountView, String(userId)),
      this.tokens.lastUses(userId),
      this.sessions.ofUser(userId),
    ]);
    const all = await Promise.all([
      ...(account?.personalTokens ?? []).map((token) => this.present(token, userId, lastUses.get(token.tokenId), current)),
      ...sessions.map((session) => this.presentSession(session, userId, current)),
    ]);
    // As its pages are ordered; several may be made in a second.
    const orderOf = ({ created, tid }: PersonalTokenAnswer): string => `${created} ${tid}`;
    return all.toSorted((one, other) => (orderOf(one) < orderOf(other) ? 1 : -1));
  }

  @Delete(':tid')
  @Needs(accountRight)
  async revoke(
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Param('tid') tokenId: string,
  ): Promise<object> {
    if (!OBJECT_ID.test(tokenId)) throw new NotFound('The token was not found.');
    await this.commands.execute(new RevokeToken(context, { userId, tokenId }));
    return success;
  }

  @Get(':tid/usage')
  @Needs(accountRight)
  async usage(@CurrentPrincipal() { userId }: Principal, @Param('tid') tokenId: string): Promise<TokenUsageAnswer> {
    const account = await this.views.now().get(accountView, String(userId));
    const token = account?.personalTokens.find((known) => known.tokenId === tokenId);
    if (token === undefined) throw new NotFound('The token was not found.');
    return presentTokenUsage(token, await this.uses.ofToken(tokenId), Date.now());
  }

  private async present(
    { tokenId, name, createdAt, expiresAt, ...limits }: PersonalToken,
    userId: number,
    lastUse: LastUse | undefined,
    current: string,
  ): Promise<PersonalTokenAnswer> {
    return {
      tid: tokenId,
      kind: 'personal',
      name: name === null ? null : await this.keyring.open(name),
      created: inUtc(createdAt),
      expiresAt: inUtc(expiresAt),
      ...(await openTokenLimits(this.keyring, limits)),
      ...(await this.presentUse(lastUse ?? null, userId)),
      ...withoutOrigin,
      current: tokenId === current,
    };
  }

  private async presentSession(
    { tokenId, issuedAt, expiresAt, lastUse, openedFrom, isSession }: LoginSession,
    userId: number,
    current: string,
  ): Promise<PersonalTokenAnswer> {
    const opened = openedFrom === null ? null : await this.keyring.open({ subject: accountStream(userId), sealed: openedFrom });
    const origin = opened === null ? withoutOrigin : (JSON.parse(opened) as SignInOrigin);
    return {
      tid: tokenId,
      kind: isSession ? 'session' : 'login',
      name: null,
      created: inUtc(issuedAt.getTime()),
      expiresAt: inUtc(expiresAt.getTime()),
      ...unlimited,
      ...(await this.presentUse(lastUse, userId)),
      address: origin.address,
      userAgent: origin.userAgent,
      current: tokenId === current,
    };
  }

  private async presentUse(
    lastUse: LastUse | null,
    userId: number,
  ): Promise<Pick<PersonalTokenAnswer, 'lastUsed' | 'lastUsedAt' | 'lastUsedFrom'>> {
    if (lastUse === null) return neverUsed;
    const { lastUsedAt, lastUsedFrom } = lastUse;
    const at = inUtc(lastUsedAt.getTime());
    const from = lastUsedFrom === null ? null : await this.keyring.open({ subject: accountStream(userId), sealed: lastUsedFrom });
    return { lastUsed: at, lastUsedAt: at, lastUsedFrom: from };
  }
}

const neverUsed = { lastUsed: null, lastUsedAt: null, lastUsedFrom: null } as const;
const withoutOrigin = { address: null, userAgent: null, current: false } as const;
