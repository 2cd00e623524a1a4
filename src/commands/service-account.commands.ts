import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { projectTarget } from '../domain/project/project.ts';
import type { RoleId } from '../domain/project/roles.ts';
import {
  changeServiceAccount,
  createServiceAccount,
  deleteServiceAccount,
  issueServiceToken,
  requireServiceToken,
  revokeServiceToken,
} from '../domain/project/service-accounts.ts';
import { serviceNumber } from '../domain/project/service-number.ts';
import { projectStream } from '../domain/stream-names.ts';
import type { TokenLimits } from '../domain/account/token-scopes.ts';
import { derivedObjectId } from '../kernel/ids.ts';
import { KEYRING, type Keyring } from '../security/keyring/keyring.ts';
import { SECRETS, type Secrets } from '../security/keyring/secrets.ts';
import { AccountChanges } from '../security/tokens/account-changes.ts';
import { TokenStore } from '../security/tokens/token-store.ts';
import { CommandRunner } from './command-runner.ts';
import type { CommandContext } from './context.ts';
import type { IssuedToken } from './token.commands.ts';

/** A service account of a project. */
export interface ServiceAccountId {
  readonly projectId: string;
  readonly serviceAccountId: string;
}

/** Answers its id. */
export class CreateServiceAccount extends Command<string> {
  constructor(
    readonly context: CommandContext,
    readonly projectId: string,
    readonly wanted: { readonly name: string; readonly role: RoleId },
    readonly by: number,
  ) {
    super();
  }
}

@CommandHandler(CreateServiceAccount)
export class CreateServiceAccountHandler implements ICommandHandler<CreateServiceAccount> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  async execute({ context, projectId, wanted, by }: CreateServiceAccount): Promise<string> {
    const serviceAccountId = derivedObjectId(await this.secrets.secret('object-ids'), context.commandId, 0);
    await this.runner.run(projectTarget(projectId), context, (project) =>
      createServiceAccount(project, { serviceAccountId, ...wanted }, by),
    );
    return serviceAccountId;
  }
}

export class ChangeServiceAccount extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly account: ServiceAccountId,
    readonly wanted: { readonly name?: string | undefined; readonly role?: RoleId | undefined },
    readonly by: number,
  ) {
    super();
  }
}

@CommandHandler(ChangeServiceAccount)
export class ChangeServiceAccountHandler implements ICommandHandler<ChangeServiceAccount> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(AccountChanges) private readonly changes: AccountChanges,
  ) {}

  async execute({ context, account: { projectId, serviceAccountId }, wanted, by }: ChangeServiceAccount): Promise<void> {
    await this.runner.run(projectTarget(projectId), context, (project) => changeServiceAccount(project, serviceAccountId, wanted, by));
    this.changes.changed(serviceNumber(serviceAccountId));
  }
}

export class DeleteServiceAccount extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly account: ServiceAccountId,
    readonly by: number,
  ) {
    super();
  }
}

@CommandHandler(DeleteServiceAccount)
export class DeleteServiceAccountHandler implements ICommandHandler<DeleteServiceAccount> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(TokenStore) private readonly tokens: TokenStore,
    @Inject(AccountChanges) private readonly changes: AccountChanges,
  ) {}

  /** The event ends its tokens: one is good only while its account has it. The rows are only tidied away. */
  async execute({ context, account: { projectId, serviceAccountId }, by }: DeleteServiceAccount): Promise<void> {
    await this.runner.run(projectTarget(projectId), context, (project) => deleteServiceAccount(project, serviceAccountId, by));
    const number = serviceNumber(serviceAccountId);
    await this.tokens.revokeService(projectId, number);
    this.changes.changed(number);
  }
}

export class IssueServiceToken extends Command<IssuedToken> {
  constructor(
    readonly context: CommandContext,
    readonly account: ServiceAccountId,
    readonly wanted: { readonly name: string; readonly expiresAt: Date } & Omit<TokenLimits, 'projects'>,
    readonly by: number,
  ) {
    super();
  }
}

@CommandHandler(IssueServiceToken)
export class IssueServiceTokenHandler implements ICommandHandler<IssueServiceToken> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(KEYRING) private readonly keyring: Keyring,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(TokenStore) private readonly tokens: TokenStore,
  ) {}

  /** Like `IssueToken`: a repeat answers the times of the first time, and an account that is deleted meanwhile takes the late row with it. */
  async execute({ context, account, wanted, by }: IssueServiceToken): Promise<IssuedToken> {
    const { projectId, serviceAccountId } = account;
    const tokenId = derivedObjectId(await this.secrets.secret('object-ids'), context.commandId, 0);
    const { name, expiresAt, scopes, addresses } = wanted;
    const sealed = addresses === null ? null : await this.keyring.seal(projectStream(projectId), JSON.stringify(addresses));
    const limits = { ...(scopes && { scopes }), ...(sealed && { addresses: sealed }) };
    const token = { serviceAccountId, tokenId, name, expiresAt: expiresAt.toISOString(), ...limits };
    const target = projectTarget(projectId);
    const now = Date.parse(context.occurredAt);
    const { events, state } = await this.runner.run(target, context, (project) => issueServiceToken(project, token, by, now));
    requireServiceToken(state, serviceAccountId, tokenId);
    const first = events.find((event) => event.type === 'ServiceTokenIssued');
    const times = {
      issuedAt: new Date(first?.meta.occurredAt ?? context.occurredAt),
      expiresAt: first === undefined ? expiresAt : new Date(first.data.expiresAt),
    };
    const userId = serviceNumber(serviceAccountId);
    await this.tokens.add({ tokenId, userId, kind: 'service', projectId, ...times }, null);
    try {
      requireServiceToken(await this.runner.read(target), serviceAccountId, tokenId);
    } catch (error) {
      await this.tokens.revoke(userId, tokenId);
      throw error;
    }
    return { tokenId, ...times };
  }
}

/** `by` null: the token ends itself. */
export class RevokeServiceToken extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly account: ServiceAccountId,
    readonly tokenId: string,
    readonly by: number | null,
  ) {
    super();
  }
}

@CommandHandler(RevokeServiceToken)
export class RevokeServiceTokenHandler implements ICommandHandler<RevokeServiceToken> {
  constructor(
    @Inject(CommandRunner) private readonly runner: CommandRunner,
    @Inject(TokenStore) private readonly tokens: TokenStore,
    @Inject(AccountChanges) private readonly changes: AccountChanges,
  ) {}

  async execute({ context, account, tokenId, by }: RevokeServiceToken): Promise<void> {
    const { projectId, serviceAccountId } = account;
    await this.runner.run(projectTarget(projectId), context, (project) => revokeServiceToken(project, { serviceAccountId, tokenId }, by));
    const number = serviceNumber(serviceAccountId);
    await this.tokens.revoke(number, tokenId);
    this.changes.changed(number);
  }
}
