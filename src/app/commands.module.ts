import { type DynamicModule, type LoggerService, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CqrsModule, type ICommandHandler } from '@nestjs/cqrs';
import type pg from 'pg';
import { Claims } from '../platform/postgres/claims.ts';
import { EmailDirectory } from '../accounts/email-directory.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { Secrets } from '../platform/security/keyring/secrets.ts';
import { PasswordChanges } from '../accounts/passwords/password-changes.ts';
import { Passwords } from '../accounts/passwords/passwords.ts';
import { Challenges } from '../accounts/second-factors/challenges.ts';
import { FactorStore } from '../accounts/second-factors/factor-store.ts';
import { RecoveryCodes } from '../accounts/second-factors/recovery-codes.ts';
import { IdentityDirectory } from '../accounts/identities/identity-directory.ts';
import { AccountChanges } from '../accounts/tokens/account-changes.ts';
import { Invitations } from '../accounts/tokens/invitations.ts';
import { PostgresInvitations } from '../accounts/tokens/postgres-invitations.ts';
import { LinkStore } from '../accounts/tokens/link-store.ts';
import { KnownNetworks } from '../accounts/tokens/known-networks.ts';
import { SessionStore } from '../accounts/tokens/session-store.ts';
import { TokenStore } from '../accounts/tokens/token-store.ts';
import { Plans } from '../accounts/plan.ts';
import { LimitMeter } from '../kernel/limits.ts';
import * as access from '../accounts/accesses/access.commands.ts';
import * as account from '../accounts/account.commands.ts';
import * as area from '../projects/areas/area.commands.ts';
import * as badge from '../overview/badge/badge.commands.ts';
import * as channel from '../alerts/channels/channel.commands.ts';
import * as check from '../projects/checks/check.commands.ts';
import { CommandRunner } from '../platform/commands/command-runner.ts';
import * as destination from '../streams/destinations/destination.commands.ts';
import * as factorProof from '../accounts/second-factors/factor-proof.commands.ts';
import * as identity from '../accounts/identities/identity.commands.ts';
import * as incident from '../status-pages/incident.commands.ts';
import * as invitation from '../projects/members/invitation.commands.ts';
import * as job from '../checker/jobs/job.commands.ts';
import * as jointAppend from '../platform/commands/joint-append.commands.ts';
import * as maintenance from '../projects/maintenance/maintenance.commands.ts';
import * as member from '../projects/members/member.commands.ts';
import * as importedUptime from '../watches/imported-uptime/imported-uptime.commands.ts';
import * as objective from '../projects/objectives/objective.commands.ts';
import * as verdict from '../checker/verdicts/verdict.commands.ts';
import * as correction from '../checker/corrections/correction.commands.ts';
import * as observation from '../watches/observation.commands.ts';
import * as password from '../accounts/passwords/password.commands.ts';
import * as preference from '../alerts/preferences/preference.commands.ts';
import * as project from '../projects/project.commands.ts';
import type { PlanLookup } from '../projects/project-slot.ts';
import * as recoveryCode from '../accounts/second-factors/recovery-code.commands.ts';
import * as secondFactor from '../accounts/second-factors/second-factor.commands.ts';
import * as serviceAccount from '../projects/service-accounts/service-account.commands.ts';
import * as session from '../accounts/sessions/session.commands.ts';
import * as site from '../site-files/site.commands.ts';
import * as statement from '../proof/statement/statement.commands.ts';
import * as statusPage from '../status-pages/status-page.commands.ts';
import * as system from '../history/system.commands.ts';
import * as token from '../accounts/tokens/token.commands.ts';
import * as transfer from '../projects/transfer.commands.ts';

export interface CommandDependencies {
  readonly pool: pg.Pool;
  readonly claims: Claims;
  readonly keyring: Keyring;
  readonly secrets: Secrets;
  readonly runner: CommandRunner;
  readonly accountChanges: AccountChanges;
  readonly plans: PlanLookup;
  readonly limitMeter: LimitMeter;
}

const nouns = [
  access,
  account,
  area,
  badge,
  channel,
  check,
  destination,
  factorProof,
  identity,
  incident,
  invitation,
  job,
  jointAppend,
  maintenance,
  member,
  objective,
  importedUptime,
  correction,
  observation,
  password,
  preference,
  project,
  recoveryCode,
  secondFactor,
  serviceAccount,
  session,
  site,
  statement,
  statusPage,
  system,
  token,
  transfer,
  verdict,
];

/** By convention the handler of a command `X` is the class `XHandler` beside it. */
const isHandler = ([name, exported]: [string, unknown]): boolean => name.endsWith('Handler') && typeof exported === 'function';
// The name says that it is a class with `execute`, which Nest checks again when it registers the handler.
const handlers = nouns.flatMap((noun) => Object.entries(noun).filter(isHandler)).map(([, handler]) => handler as Type<ICommandHandler>);

/** Every command handler of the service. */
@Module({})
export class CommandsModule {
  static forRoot({ pool, claims, keyring, secrets, runner, accountChanges, plans, limitMeter }: CommandDependencies): DynamicModule {
    const dependencies = [
      { provide: Claims, useValue: claims },
      { provide: Keyring, useValue: keyring },
      { provide: Secrets, useValue: secrets },
      { provide: CommandRunner, useValue: runner },
      token.SessionEnd,
      { provide: Plans, useValue: plans },
      { provide: LimitMeter, useValue: limitMeter },
      { provide: Invitations, useValue: new PostgresInvitations(pool) },
      { provide: AccountChanges, useValue: accountChanges },
      { provide: EmailDirectory, useValue: new EmailDirectory(claims, secrets) },
      { provide: RecoveryCodes, useValue: new RecoveryCodes(pool, secrets) },
      { provide: Challenges, useValue: new Challenges(pool, secrets) },
      recoveryCode.FactorConfirmation,
      { provide: IdentityDirectory, useValue: new IdentityDirectory(claims, secrets) },
      { provide: KnownNetworks, useValue: new KnownNetworks(pool, secrets) },
      ...[FactorStore, PasswordChanges, Passwords, LinkStore, SessionStore, TokenStore].map((Store) => ({
        provide: Store,
        useValue: new Store(pool),
      })),
    ];
    return { module: CommandsModule, imports: [CqrsModule.forRoot()], providers: [...dependencies, ...handlers] };
  }
}

/** The one command bus of the process: for controllers, the checker, process managers and the command line alike. Nest logs through `logger` from then on. */
export async function openCommandBus(dependencies: CommandDependencies, logger: LoggerService): Promise<CommandBus> {
  const context = await NestFactory.createApplicationContext(CommandsModule.forRoot(dependencies), { logger, abortOnError: false });
  return context.get(CommandBus);
}
