import { Injectable } from '@nestjs/common';
import type { ServiceAccountOwner } from './service-account.commands.ts';
import { serviceNumber } from '../../accounts/rights/roles.ts';
import { ownerScope } from '../../kernel/stream-names.ts';
import { type KnownServiceAccount, type ServiceToken, serviceAccountsIn, serviceAccountTag } from './service-account.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { ScopeUses } from '../../accounts/tokens/token-uses.ts';
import { type LastUse, TokenStore } from '../../accounts/tokens/token-store.ts';
import type { TokenUsageAnswer } from '../../accounts/token.api.ts';
import { presentTokenUsage } from '../../accounts/token-usage.ts';
import { openTokenLimits } from '../../accounts/sign-in/principals.ts';
import type { ShowTag } from '../../platform/http/context/decorators.ts';
import { NotFound } from '../../platform/http/errors/refusals.ts';
import { inUtc } from '../../platform/http/presentation/answers.ts';
import { scopesOfService } from '../../accounts/rights/scopes.ts';
import type { ServiceAccountAnswer, ServiceTokenAnswer } from './service-account.api.ts';

/** Service accounts of a project or of the installation, and their tokens (docs/spec/beyond.md#B28). */
@Injectable()
export class ServiceAccountReading {
  constructor(
    private readonly views: ViewsAt,
    private readonly keyring: Keyring,
    private readonly tokens: TokenStore,
    private readonly uses: ScopeUses,
  ) {}

  async list(owner: ServiceAccountOwner): Promise<readonly ServiceAccountAnswer[]> {
    return (await serviceAccountsIn(this.views.now(), owner)).map(presentServiceAccount);
  }

  async one(owner: ServiceAccountOwner, sid: string): Promise<KnownServiceAccount> {
    const account = (await serviceAccountsIn(this.views.now(), owner)).find(({ id }) => id === sid);
    if (account === undefined) throw new NotFound('The service account was not found.');
    return account;
  }

  async read(owner: ServiceAccountOwner, sid: string, show?: ShowTag): Promise<ServiceAccountAnswer> {
    const account = await this.one(owner, sid);
    show?.(serviceAccountTag(sid, account));
    return presentServiceAccount(account);
  }

  async tokensOf(owner: ServiceAccountOwner, sid: string): Promise<readonly ServiceTokenAnswer[]> {
    const [{ tokens }, lastUses] = await Promise.all([this.one(owner, sid), this.tokens.lastUses(serviceNumber(sid))]);
    return Promise.all(tokens.map((token) => this.presentToken(owner, token, lastUses.get(token.tokenId))));
  }

  async usage(owner: ServiceAccountOwner, sid: string, tid: string): Promise<TokenUsageAnswer> {
    const { role, tokens } = await this.one(owner, sid);
    const token = tokens.find(({ tokenId }) => tokenId === tid);
    if (token === undefined) throw new NotFound('The token was not found.');
    const ofRole = scopesOfService(role);
    const scopes = token.scopes === null ? ofRole : token.scopes.filter((scope) => ofRole.includes(scope));
    const projects = owner === null ? null : [owner];
    return presentTokenUsage({ ...token, scopes, projects }, await this.uses.ofToken(tid), Date.now());
  }

  private async presentToken(owner: ServiceAccountOwner, token: ServiceToken, lastUse: LastUse | undefined): Promise<ServiceTokenAnswer> {
    const { tokenId, name, createdAt, expiresAt } = token;
    const { scopes, addresses } = await openTokenLimits(this.keyring, { ...token, projects: null });
    const from = lastUse?.lastUsedFrom ?? null;
    return {
      tid: tokenId,
      name,
      created: inUtc(createdAt),
      expiresAt: inUtc(expiresAt),
      scopes,
      addresses,
      lastUsedAt: lastUse === undefined ? null : inUtc(lastUse.lastUsedAt.getTime()),
      lastUsedFrom: from === null ? null : await this.keyring.open({ subject: ownerScope(owner), sealed: from }),
    };
  }
}

const presentServiceAccount = ({ id, name, role, createdAt, tokens }: KnownServiceAccount): ServiceAccountAnswer => ({
  id,
  name,
  role,
  created: inUtc(createdAt),
  tokens: tokens.length,
});
