import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import {
  ChangeServiceAccount,
  CreateServiceAccount,
  DeleteServiceAccount,
  IssueServiceToken,
  RevokeServiceToken,
  type ServiceAccountManager,
} from './service-account.commands.ts';
import { serviceNumber, type ServiceRole } from '../../accounts/rights/roles.ts';
import { TokenNarrowing, expiryOfToken } from '../../accounts/token-narrowing.ts';
import { RecentSignIn } from '../../accounts/sign-in/recent-sign-in.ts';
import { TokenSigner } from '../../accounts/sign-in/token-signer.ts';
import { inUtc, success } from '../../platform/http/presentation/answers.ts';
import { ScopeCheck } from '../../accounts/tokens/token-uses.ts';
import { scopesOfService } from '../../accounts/rights/scopes.ts';
import type { ServiceManager } from './current-manager.ts';
import type { ServiceAccountAnswer, ServiceTokenAnswer, CreateServiceTokenDto } from './service-account.api.ts';
import { ServiceAccountReading } from './service-account-reading.ts';

const managerOf = ({ owner, principal }: ServiceManager): ServiceAccountManager => ({ owner, by: principal.userId });

/** What can be done to the service accounts of a project, and to those of the installation. */
@Injectable()
export class ServiceAccountActions {
  constructor(
    private readonly commands: CommandBus,
    private readonly reading: ServiceAccountReading,
    private readonly scopes: ScopeCheck,
    private readonly narrowing: TokenNarrowing,
    private readonly signer: TokenSigner,
    private readonly recentSignIn: RecentSignIn,
  ) {}

  async create(manager: ServiceManager, name: string, role: ServiceRole): Promise<ServiceAccountAnswer> {
    this.scopes.require(manager.principal, scopesOfService(role));
    const sid = await this.commands.execute(
      new CreateServiceAccount(manager.context, { manager: managerOf(manager), wanted: { name, role } }),
    );
    await manager.context.waitUntilVisible();
    return this.reading.read(manager.owner, sid);
  }

  /** A wider role widens tokens that are in use, so it needs what a new token needs. */
  async change(
    manager: ServiceManager,
    sid: string,
    { name, role }: { readonly name?: string; readonly role?: ServiceRole },
    request: FastifyRequest,
  ): Promise<ServiceAccountAnswer> {
    if (role !== undefined) {
      this.scopes.require(manager.principal, scopesOfService(role));
      const before = (await this.reading.list(manager.owner)).find(({ id }) => id === sid)?.role;
      const held = before === undefined ? scopesOfService(role) : scopesOfService(before);
      if (scopesOfService(role).some((scope) => !held.includes(scope))) await this.recentSignIn.require(request);
    }
    await this.commands.execute(
      new ChangeServiceAccount(manager.context, { manager: managerOf(manager), serviceAccountId: sid, wanted: { name, role } }),
    );
    await manager.context.waitUntilVisible();
    return this.reading.read(manager.owner, sid);
  }

  async remove(manager: ServiceManager, sid: string): Promise<object> {
    await this.commands.execute(new DeleteServiceAccount(manager.context, { manager: managerOf(manager), serviceAccountId: sid }));
    return success;
  }

  /** The token is shown in this answer only. */
  async createToken(
    manager: ServiceManager,
    sid: string,
    body: CreateServiceTokenDto,
  ): Promise<ServiceTokenAnswer & { readonly token: string }> {
    const { owner, principal, claims, context } = manager;
    const { role } = await this.reading.one(owner, sid);
    const expiresAt = expiryOfToken(body, principal, claims, Date.parse(context.occurredAt));
    const limits = this.narrowing.limitsOfService(principal, role, body);
    const wanted = { name: body.name, expiresAt, ...limits };
    const issued = await this.commands.execute(
      new IssueServiceToken(context, { manager: managerOf(manager), serviceAccountId: sid, wanted }),
    );
    return {
      token: this.signer.sign(serviceNumber(sid), issued.tokenId, issued),
      tid: issued.tokenId,
      name: body.name,
      created: inUtc(issued.issuedAt.getTime()),
      expiresAt: inUtc(issued.expiresAt.getTime()),
      ...limits,
      lastUsedAt: null,
      lastUsedFrom: null,
    };
  }

  async revokeToken(manager: ServiceManager, sid: string, tid: string): Promise<object> {
    await this.commands.execute(
      new RevokeServiceToken(manager.context, { manager: managerOf(manager), serviceAccountId: sid, tokenId: tid }),
    );
    return success;
  }
}
