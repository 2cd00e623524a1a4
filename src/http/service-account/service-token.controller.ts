import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { IssueServiceToken, RevokeServiceToken } from '../../commands/service-account.commands.ts';
import { serviceNumber } from '../../domain/project/service-number.ts';
import { ScopeUses } from '../../security/tokens/scope-uses.ts';
import { expiryOfToken } from '../account/token-expiry.ts';
import type { TokenUsageAnswer } from '../account/token.description.ts';
import { TokenNarrowing } from '../account/token-narrowing.ts';
import { presentTokenUsage } from '../account/token-usage.ts';
import { type TokenClaims, TokenSigner } from '../auth/token-signer.ts';
import { CurrentClaims, CurrentContext, CurrentPrincipal, CurrentProject } from '../context/decorators.ts';
import type { Principal } from '../context/principal.ts';
import type { RequestContext } from '../context/request-context.ts';
import type { ProjectAccess } from '../context/request-state.ts';
import { inUtc, success } from '../presentation/answers.ts';
import { Needs, NeedsRecentSignIn } from '../rights/needs.ts';
import { projectRight } from '../rights/right.ts';
import { scopesOfService } from '../rights/scopes.ts';
import type { ServiceTokenAnswer } from './service-account.description.ts';
import { CreateServiceTokenDto } from './service-account.dto.ts';
import { ServiceAccountReading } from './service-account-reading.ts';

/** Tokens of a service account (docs/spec/beyond.md#B28). */
@Controller('project/:id/service-accounts/:sid/tokens')
export class ServiceTokenController {
  constructor(
    @Inject(CommandBus) private readonly commands: CommandBus,
    @Inject(ServiceAccountReading) private readonly reading: ServiceAccountReading,
    @Inject(TokenNarrowing) private readonly narrowing: TokenNarrowing,
    @Inject(TokenSigner) private readonly signer: TokenSigner,
    @Inject(ScopeUses) private readonly uses: ScopeUses,
  ) {}

  @Get()
  @Needs(projectRight('manageUsers'))
  list(@CurrentProject() { projectId }: ProjectAccess, @Param('sid') sid: string): Promise<readonly ServiceTokenAnswer[]> {
    return this.reading.tokensOf(projectId, sid);
  }

  /** The token is shown in this answer only. */
  @Post()
  @Needs(projectRight('manageUsers'))
  @NeedsRecentSignIn()
  @HttpCode(200)
  async create(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentPrincipal() caller: Principal,
    @CurrentClaims() claims: TokenClaims,
    @CurrentContext() context: RequestContext,
    @Param('sid') serviceAccountId: string,
    @Body() body: CreateServiceTokenDto,
  ): Promise<ServiceTokenAnswer & { readonly token: string }> {
    const { role } = await this.reading.one(projectId, serviceAccountId);
    const expiresAt = expiryOfToken(body, caller, claims, Date.parse(context.occurredAt));
    const limits = this.narrowing.limitsOfService(caller, role, body);
    const wanted = { name: body.name, expiresAt, ...limits };
    const issued = await this.commands.execute(new IssueServiceToken(context, { projectId, serviceAccountId }, wanted, caller.userId));
    return {
      token: this.signer.sign(serviceNumber(serviceAccountId), issued.tokenId, issued),
      tid: issued.tokenId,
      name: body.name,
      created: inUtc(issued.issuedAt.getTime()),
      expiresAt: inUtc(issued.expiresAt.getTime()),
      ...limits,
      ...{ lastUsedAt: null, lastUsedFrom: null },
    };
  }

  @Delete(':tid')
  @Needs(projectRight('manageUsers'))
  async revoke(
    @CurrentProject() { projectId }: ProjectAccess,
    @CurrentPrincipal() { userId }: Principal,
    @CurrentContext() context: RequestContext,
    @Param('sid') serviceAccountId: string,
    @Param('tid') tokenId: string,
  ): Promise<object> {
    await this.commands.execute(new RevokeServiceToken(context, { projectId, serviceAccountId }, tokenId, userId));
    return success;
  }

  @Get(':tid/usage')
  @Needs(projectRight('manageUsers'))
  async usage(
    @CurrentProject() { projectId }: ProjectAccess,
    @Param('sid') sid: string,
    @Param('tid') tid: string,
  ): Promise<TokenUsageAnswer> {
    const [{ role }, token] = await Promise.all([this.reading.one(projectId, sid), this.reading.token(projectId, sid, tid)]);
    const ofRole = scopesOfService(role);
    const scopes = token.scopes === null ? ofRole : token.scopes.filter((scope) => ofRole.includes(scope));
    return presentTokenUsage({ ...token, scopes, projects: [projectId] }, await this.uses.ofToken(tid), Date.now());
  }
}
