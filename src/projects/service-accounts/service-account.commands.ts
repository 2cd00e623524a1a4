import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { CommandOf } from '../../platform/commands/command-of.ts';
import { type ProjectEvent, projectTarget } from '../project.state.ts';
import { serviceNumber, type ServiceRole } from '../../accounts/rights/roles.ts';
import { serviceAccountsOfInstallation, serviceAccountsOfProject, serviceAccountsTarget } from './service-account-owners.ts';
import type { ServiceAccountEvent, ServiceAccounts } from './service-account.state.ts';
import {
  changeServiceAccount,
  createServiceAccount,
  deleteServiceAccount,
  issueServiceToken,
  type ManagedServiceAccounts,
  requireServiceToken,
  revokeServiceToken,
} from './service-account.decider.ts';
import { ownerScope } from '../../kernel/stream-names.ts';
import type { TokenLimits } from '../../accounts/token-scopes.ts';
import type { NewEvent } from '../../kernel/event.ts';
import { newObjectId } from '../../platform/commands/object-ids.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { AccountChanges } from '../../accounts/tokens/account-changes.ts';
import { TokenStore } from '../../accounts/tokens/token-store.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { requireMatch } from '../../platform/commands/precondition.ts';
import type { IssuedToken } from '../../accounts/tokens/token.commands.ts';
import { serviceAccountTagIn } from './service-account.view.ts';

/** The id of a project; null: the installation. */
export type ServiceAccountOwner = string | null;

/** Whose service accounts are managed, and by whom; `by` null: by the operator, or by a token that ends itself. */
export interface ServiceAccountManager {
  readonly owner: ServiceAccountOwner;
  readonly by: number | null;
}

interface Managed {
  /** After the command. */
  readonly accounts: () => ServiceAccounts;
  readonly events: readonly (ProjectEvent & NewEvent)[];
}

async function run(
  runner: CommandRunner,
  { owner, by }: ServiceAccountManager,
  context: CommandContext,
  decide: (managed: ManagedServiceAccounts) => readonly ServiceAccountEvent[],
): Promise<Managed> {
  if (owner === null) {
    const { state, events } = await runner.run(serviceAccountsTarget, context, (known) => decide(serviceAccountsOfInstallation(known)));
    return { accounts: () => state, events };
  }
  const { state, events } = await runner.run(projectTarget(owner), context, (project) => decide(serviceAccountsOfProject(project, by)));
  return { accounts: () => serviceAccountsOfProject(state, by).accounts, events };
}

async function accountsOf(runner: CommandRunner, owner: ServiceAccountOwner): Promise<ServiceAccounts> {
  if (owner === null) return runner.read(serviceAccountsTarget);
  return serviceAccountsOfProject(await runner.read(projectTarget(owner)), null).accounts;
}

/** Answers its id. */
export class CreateServiceAccount extends CommandOf<
  { manager: ServiceAccountManager; wanted: { readonly name: string; readonly role: ServiceRole } },
  string
> {}

@CommandHandler(CreateServiceAccount)
export class CreateServiceAccountHandler implements ICommandHandler<CreateServiceAccount> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly secrets: Secrets,
  ) {}

  async execute({ context, fields: { manager, wanted } }: CreateServiceAccount): Promise<string> {
    const serviceAccountId = await newObjectId(this.secrets, context);
    await run(this.runner, manager, context, (managed) => createServiceAccount(managed, { serviceAccountId, ...wanted }));
    return serviceAccountId;
  }
}

export class ChangeServiceAccount extends CommandOf<{
  manager: ServiceAccountManager;
  serviceAccountId: string;
  wanted: { readonly name?: string | undefined; readonly role?: ServiceRole | undefined };
}> {}

@CommandHandler(ChangeServiceAccount)
export class ChangeServiceAccountHandler implements ICommandHandler<ChangeServiceAccount> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly changes: AccountChanges,
  ) {}

  async execute({ context, fields: { manager, serviceAccountId, wanted } }: ChangeServiceAccount): Promise<void> {
    await run(this.runner, manager, context, (managed) => {
      requireMatch(context, () => serviceAccountTagIn(serviceAccountId, managed.accounts));
      return changeServiceAccount(managed, serviceAccountId, wanted);
    });
    this.changes.changed(serviceNumber(serviceAccountId));
  }
}

export class DeleteServiceAccount extends CommandOf<{ manager: ServiceAccountManager; serviceAccountId: string }> {}

@CommandHandler(DeleteServiceAccount)
export class DeleteServiceAccountHandler implements ICommandHandler<DeleteServiceAccount> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly tokens: TokenStore,
    private readonly changes: AccountChanges,
  ) {}

  /** The event ends its tokens: one is good only while its account has it. The rows are only tidied away. */
  async execute({ context, fields: { manager, serviceAccountId } }: DeleteServiceAccount): Promise<void> {
    await run(this.runner, manager, context, (managed) => {
      requireMatch(context, () => serviceAccountTagIn(serviceAccountId, managed.accounts));
      return deleteServiceAccount(managed, serviceAccountId);
    });
    const number = serviceNumber(serviceAccountId);
    await this.tokens.revokeService(manager.owner, number);
    this.changes.changed(number);
  }
}

export class IssueServiceToken extends CommandOf<
  {
    manager: ServiceAccountManager;
    serviceAccountId: string;
    wanted: { readonly name: string; readonly expiresAt: Date } & Omit<TokenLimits, 'projects'>;
  },
  IssuedToken
> {}

@CommandHandler(IssueServiceToken)
export class IssueServiceTokenHandler implements ICommandHandler<IssueServiceToken> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly keyring: Keyring,
    private readonly secrets: Secrets,
    private readonly tokens: TokenStore,
  ) {}

  /** Like `IssueToken`: a repeat answers the times of the first time, and an account that is deleted meanwhile takes the late row with it. */
  async execute({ context, fields: { manager, serviceAccountId, wanted } }: IssueServiceToken): Promise<IssuedToken> {
    const { owner } = manager;
    const tokenId = await newObjectId(this.secrets, context);
    const { name, expiresAt, scopes, addresses } = wanted;
    const sealed = addresses === null ? null : await this.keyring.seal(ownerScope(owner), JSON.stringify(addresses));
    const limits = { ...(scopes && { scopes }), ...(sealed && { addresses: sealed }) };
    const token = { serviceAccountId, tokenId, name, expiresAt: expiresAt.toISOString(), ...limits };
    const now = Date.parse(context.occurredAt);
    const { events, accounts } = await run(this.runner, manager, context, (managed) => issueServiceToken(managed, token, now));
    requireServiceToken(accounts(), serviceAccountId, tokenId);
    const first = events.find((event) => event.type === 'ServiceTokenIssued');
    const times = {
      issuedAt: new Date(first?.meta.occurredAt ?? context.occurredAt),
      expiresAt: first === undefined ? expiresAt : new Date(first.data.expiresAt),
    };
    const userId = serviceNumber(serviceAccountId);
    await this.tokens.add({ tokenId, userId, kind: 'service', ...(owner !== null && { projectId: owner }), ...times }, null);
    try {
      requireServiceToken(await accountsOf(this.runner, owner), serviceAccountId, tokenId);
    } catch (error) {
      await this.tokens.revoke(userId, tokenId);
      throw error;
    }
    return { tokenId, ...times };
  }
}

export class RevokeServiceToken extends CommandOf<{ manager: ServiceAccountManager; serviceAccountId: string; tokenId: string }> {}

@CommandHandler(RevokeServiceToken)
export class RevokeServiceTokenHandler implements ICommandHandler<RevokeServiceToken> {
  constructor(
    private readonly runner: CommandRunner,
    private readonly tokens: TokenStore,
    private readonly changes: AccountChanges,
  ) {}

  async execute({ context, fields: { manager, serviceAccountId, tokenId } }: RevokeServiceToken): Promise<void> {
    await run(this.runner, manager, context, (managed) => revokeServiceToken(managed, { serviceAccountId, tokenId }));
    const number = serviceNumber(serviceAccountId);
    await this.tokens.revoke(number, tokenId);
    this.changes.changed(number);
  }
}
