import { Module } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import pg from 'pg';
import type { Logger } from 'pino';
import { AccessRecorder } from './accesses/access-recorder.ts';
import { AccessStore } from './accesses/access-store.ts';
import { EmailDirectory } from './email-directory.ts';
import { AccountErasure, Departures, ErasureNotices } from './erasure/account-erasure.ts';
import { IdentityDirectory } from './identities/identity-directory.ts';
import { SignInCodes } from './identities/sign-in-codes.ts';
import { PasswordChanges } from './passwords/password-changes.ts';
import { Passwords } from './passwords/passwords.ts';
import { Challenges } from './second-factors/challenges.ts';
import { FactorStore } from './second-factors/factor-store.ts';
import { RecoveryCodes } from './second-factors/recovery-codes.ts';
import { AccountChanges } from './tokens/account-changes.ts';
import { GuessStore } from './tokens/guess-store.ts';
import { Invitations } from './tokens/invitations.ts';
import { ConsoleAddresses } from './sessions/console-addresses.ts';
import { KnownNetworks } from './tokens/known-networks.ts';
import { LinkStore } from './tokens/link-store.ts';
import { PostgresInvitations } from './tokens/postgres-invitations.ts';
import { ScopeUses } from './tokens/token-uses.ts';
import { SessionStore } from './tokens/session-store.ts';
import { TokenStore } from './tokens/token-store.ts';
import { LOGIN_WINDOW_SECONDS, TryStore } from './tokens/try-store.ts';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { IdempotencyStore } from '../platform/http/idempotency/idempotency-store.ts';
import { LOGGER } from '../platform/telemetry/logging/logger.ts';
import { Erasures } from '../platform/security/erasures.ts';
import { CountAccessesHandler, RecordAccessHandler } from './accesses/access.commands.ts';
import {
  AdministerAccountHandler,
  ChangeProfileHandler,
  ConfirmNotificationEmailHandler,
  EraseAccountHandler,
  OpenAccountHandler,
} from './account.commands.ts';
import { RecogniseIdentityHandler, UnlinkIdentityHandler } from './identities/identity.commands.ts';
import { ChangePasswordHandler, OfferLinkHandler, SettlePasswordHandler } from './passwords/password.commands.ts';
import { ProveByCodeHandler, ProveByPasskeyHandler, ReadFactorsHandler } from './second-factors/factor-proof.commands.ts';
import { FactorConfirmation, GenerateRecoveryCodesHandler } from './second-factors/recovery-code.commands.ts';
import {
  AddPasskeyHandler,
  ConfirmTotpHandler,
  EnrolTotpHandler,
  RemoveFactorsHandler,
  RenameFactorHandler,
} from './second-factors/second-factor.commands.ts';
import { ConfirmSessionHandler, SignInAccountHandler } from './sessions/session.commands.ts';
import { IssueTokenHandler, RevokeTokenHandler, SessionEnd } from './tokens/token.commands.ts';

/** Data of accounts outside the log. */
const stores = [
  ...[EmailDirectory, IdentityDirectory, Passwords, PasswordChanges, FactorStore, Challenges, RecoveryCodes],
  ...[TokenStore, ScopeUses, SessionStore, LinkStore, KnownNetworks, ConsoleAddresses, SignInCodes, Erasures, AccessStore, AccountChanges],
  { provide: Invitations, useClass: PostgresInvitations },
  { provide: TryStore, useFactory: (pool: pg.Pool) => new TryStore(pool, LOGIN_WINDOW_SECONDS), inject: [pg.Pool] },
  {
    provide: GuessStore,
    useFactory: (pool: pg.Pool, { guessLimit }: Config) => new GuessStore(pool, guessLimit),
    inject: [pg.Pool, CONFIG],
  },
  {
    provide: IdempotencyStore,
    useFactory: (pool: pg.Pool, { eventStoreUrl }: Config) => new IdempotencyStore(pool, eventStoreUrl !== undefined),
    inject: [pg.Pool, CONFIG],
  },
];

/** Accounts: their commands, and their data outside the log. */
@Module({
  providers: [
    ...stores,
    {
      provide: AccountErasure,
      useFactory: (bus: CommandBus, erasures: Erasures, invitations: Invitations, departures: Departures, notices: ErasureNotices) =>
        new AccountErasure(bus, erasures, invitations, departures, notices),
      inject: [CommandBus, Erasures, Invitations, Departures, ErasureNotices],
    },
    {
      provide: AccessRecorder,
      useFactory: (accesses: AccessStore, commands: CommandBus, logger: Logger) => new AccessRecorder({ accesses, commands, logger }),
      inject: [AccessStore, CommandBus, LOGGER],
    },
    FactorConfirmation,
    SessionEnd,
    ...[CountAccessesHandler, RecordAccessHandler],
    ...[AdministerAccountHandler, ChangeProfileHandler, ConfirmNotificationEmailHandler, EraseAccountHandler, OpenAccountHandler],
    ...[RecogniseIdentityHandler, UnlinkIdentityHandler],
    ...[ChangePasswordHandler, OfferLinkHandler, SettlePasswordHandler],
    ...[ProveByCodeHandler, ProveByPasskeyHandler, ReadFactorsHandler],
    ...[GenerateRecoveryCodesHandler],
    ...[AddPasskeyHandler, ConfirmTotpHandler, EnrolTotpHandler, RemoveFactorsHandler, RenameFactorHandler],
    ...[ConfirmSessionHandler, SignInAccountHandler],
    ...[IssueTokenHandler, RevokeTokenHandler],
  ],
  exports: [...stores.map((store) => ('provide' in store ? store.provide : store)), AccountErasure, AccessRecorder],
})
export class AccountsModule {}
