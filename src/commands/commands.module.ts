import { type DynamicModule, type LoggerService, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CqrsModule, type ICommandHandler } from '@nestjs/cqrs';
import type pg from 'pg';
import { CLAIMS, type Claims } from '../persistence/claims.ts';
import { EmailDirectory } from '../security/email-directory.ts';
import { KEYRING, type Keyring } from '../security/keyring/keyring.ts';
import { SECRETS, type Secrets } from '../security/keyring/secrets.ts';
import { PasswordChanges } from '../security/passwords/password-changes.ts';
import { Passwords } from '../security/passwords/passwords.ts';
import { Challenges } from '../security/second-factors/challenges.ts';
import { FactorStore } from '../security/second-factors/factor-store.ts';
import { RecoveryCodes } from '../security/second-factors/recovery-codes.ts';
import { IdentityDirectory } from '../security/sign-in-provider/identity-directory.ts';
import { AccountChanges } from '../security/tokens/account-changes.ts';
import { INVITATIONS } from '../security/tokens/invitations.ts';
import { PostgresInvitations } from '../security/tokens/postgres-invitations.ts';
import { LinkStore } from '../security/tokens/link-store.ts';
import { KnownNetworks } from '../security/tokens/known-networks.ts';
import { SessionStore } from '../security/tokens/session-store.ts';
import { TokenStore } from '../security/tokens/token-store.ts';
import { PLANS } from '../domain/account/plan.ts';
import { LIMIT_METER, type LimitMeter } from '../kernel/limits.ts';
import * as access from './access.commands.ts';
import * as account from './account.commands.ts';
import * as area from './area.commands.ts';
import * as badge from './badge.commands.ts';
import * as channel from './channel.commands.ts';
import * as check from './check.commands.ts';
import { CommandRunner } from './command-runner.ts';
import * as destination from './destination.commands.ts';
import * as factorProof from './factor-proof.commands.ts';
import * as identity from './identity.commands.ts';
import * as incident from './incident.commands.ts';
import * as invitation from './invitation.commands.ts';
import * as job from './job.commands.ts';
import * as jointAppend from './joint-append.commands.ts';
import * as maintenance from './maintenance.commands.ts';
import * as member from './member.commands.ts';
import * as importedUptime from './imported-uptime.commands.ts';
import * as objective from './objective.commands.ts';
import * as observation from './observation.commands.ts';
import * as password from './password.commands.ts';
import * as preference from './preference.commands.ts';
import * as project from './project.commands.ts';
import type { PlanLookup } from './project-slot.ts';
import * as recoveryCode from './recovery-code.commands.ts';
import * as secondFactor from './second-factor.commands.ts';
import * as serviceAccount from './service-account.commands.ts';
import * as session from './session.commands.ts';
import * as site from './site.commands.ts';
import * as statement from './statement.commands.ts';
import * as statusPage from './status-page.commands.ts';
import * as system from './system.commands.ts';
import * as token from './token.commands.ts';
import * as transfer from './transfer.commands.ts';

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
      { provide: CLAIMS, useValue: claims },
      { provide: KEYRING, useValue: keyring },
      { provide: SECRETS, useValue: secrets },
      { provide: CommandRunner, useValue: runner },
      token.SessionEnd,
      { provide: PLANS, useValue: plans },
      { provide: LIMIT_METER, useValue: limitMeter },
      { provide: INVITATIONS, useValue: new PostgresInvitations(pool) },
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
