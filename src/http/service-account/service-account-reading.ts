import { Inject, Injectable } from '@nestjs/common';
import { serviceNumber } from '../../domain/project/service-number.ts';
import { projectStream } from '../../domain/stream-names.ts';
import {
  type KnownServiceAccount,
  serviceAccountView,
  type ServiceToken,
} from '../../projections/read-models/service-account/service-account.view.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { KEYRING, type Keyring } from '../../security/keyring/keyring.ts';
import { type LastUse, TokenStore } from '../../security/tokens/token-store.ts';
import { openTokenLimits } from '../auth/token-limits.ts';
import { NotFound } from '../errors/refusals.ts';
import { inUtc } from '../presentation/answers.ts';
import type { ServiceAccountAnswer, ServiceTokenAnswer } from './service-account.description.ts';

/** Service accounts of a project and their tokens (docs/spec/beyond.md#B28). */
@Injectable()
export class ServiceAccountReading {
  constructor(
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(KEYRING) private readonly keyring: Keyring,
    @Inject(TokenStore) private readonly tokens: TokenStore,
  ) {}

  async all(projectId: string): Promise<readonly KnownServiceAccount[]> {
    return (await this.views.now().get(serviceAccountView, projectId))?.accounts ?? [];
  }

  async one(projectId: string, sid: string): Promise<KnownServiceAccount> {
    const account = (await this.all(projectId)).find(({ id }) => id === sid);
    if (account === undefined) throw new NotFound('The service account was not found.');
    return account;
  }

  async token(projectId: string, sid: string, tid: string): Promise<ServiceToken> {
    const token = (await this.one(projectId, sid)).tokens.find(({ tokenId }) => tokenId === tid);
    if (token === undefined) throw new NotFound('The token was not found.');
    return token;
  }

  async tokensOf(projectId: string, sid: string): Promise<readonly ServiceTokenAnswer[]> {
    const [{ tokens }, lastUses] = await Promise.all([this.one(projectId, sid), this.tokens.lastUses(serviceNumber(sid))]);
    return Promise.all(tokens.map((token) => this.presentToken(projectId, token, lastUses.get(token.tokenId))));
  }

  present({ id, name, role, createdAt, tokens }: KnownServiceAccount): ServiceAccountAnswer {
    return { id, name, role, created: inUtc(createdAt), tokens: tokens.length };
  }

  private async presentToken(projectId: string, token: ServiceToken, lastUse: LastUse | undefined): Promise<ServiceTokenAnswer> {
    const { tokenId, name, createdAt, expiresAt } = token;
    const { scopes, addresses } = await openTokenLimits(this.keyring, { ...token, projects: null });
    const from = lastUse?.lastUsedFrom ?? null;
    return {
      ...{ tid: tokenId, name, created: inUtc(createdAt), expiresAt: inUtc(expiresAt), scopes, addresses },
      lastUsedAt: lastUse === undefined ? null : inUtc(lastUse.lastUsedAt.getTime()),
      lastUsedFrom: from === null ? null : await this.keyring.open({ subject: projectStream(projectId), sealed: from }),
    };
  }
}
