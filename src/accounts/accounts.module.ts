import { type BeforeApplicationShutdown, Injectable, Logger, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CommandBus } from '@nestjs/cqrs';
import type pg from 'pg';
import { AccountController } from './account.controller.ts';
import { AccountsController } from './accounts.controller.ts';
import { AccountBudgets } from './budgets/account-budgets.ts';
import { EventBudget } from './budgets/event-budget.ts';
import { RequestBudget } from './budgets/request-budget.ts';
import { StreamBudget } from './budgets/stream-budget.ts';
import { EmailDirectory } from './email-directory.ts';
import { AccountErasure, ErasureNotices } from './erasure/account-erasure.ts';
import { SealedSignIns } from './identities/sealed-sign-in.ts';
import { SignInCodes } from './identities/sign-in-codes.ts';
import { callbackUrl, SignInProvider } from './identities/sign-in-provider.ts';
import { IdentityController } from './identity.controller.ts';
import { LinkPagesController } from './link-pages.controller.ts';
import { Links } from './links.ts';
import { NotificationEmailController } from './notification-email.controller.ts';
import { PasswordChanges } from './passwords/password-changes.ts';
import { Passwords } from './passwords/passwords.ts';
import { People } from './person.ts';
import { RegistrationController } from './registration.controller.ts';
import { RightsGuard } from './rights/rights.guard.ts';
import { ScopeCheck } from './rights/scope-check.ts';
import { StreamRights } from './rights/stream-rights.ts';
import { Challenges } from './second-factors/challenges.ts';
import { FactorStore } from './second-factors/factor-store.ts';
import { SecondFactorController } from './second-factors/second-factor.controller.ts';
import { SessionAnswers } from './sessions/session-answers.ts';
import { SessionController } from './sessions/session.controller.ts';
import { TokenGuard } from './sign-in/auth.guard.ts';
import { AuthenticateController } from './sign-in/authenticate.controller.ts';
import { JwtStrategy } from './sign-in/jwt.strategy.ts';
import { LoginThrottle } from './sign-in/login-throttle.ts';
import { Principals } from './sign-in/principals.ts';
import { ForcedDomains } from './sign-in/provider/forced-domains.ts';
import { ProviderSignIn } from './sign-in/provider/provider-sign-in.ts';
import { ProviderController } from './sign-in/provider/provider.controller.ts';
import { RateLimiter } from './sign-in/rate-limiter.ts';
import { RecentSignInGuard } from './sign-in/recent-sign-in.guard.ts';
import { RecentSignIn } from './sign-in/recent-sign-in.ts';
import { SecondFactorCheck } from './sign-in/second-factor-check.ts';
import { ConsoleSessions } from './sign-in/session/console-sessions.ts';
import { SignIn } from './sign-in/sign-in.ts';
import { TokenSigner } from './sign-in/token-signer.ts';
import { VerifiedTokens } from './sign-in/verified-tokens.ts';
import { TokenNarrowing } from './token-narrowing.ts';
import { TokenController } from './token.controller.ts';
import { GuessStore } from './tokens/guess-store.ts';
import { Invitations } from './tokens/invitations.ts';
import { KnownNetworks } from './tokens/known-networks.ts';
import { LinkStore } from './tokens/link-store.ts';
import { MailLimit } from './tokens/mail-limit.ts';
import { NetworkLimit, REGISTRATION_LIMIT } from './tokens/network-limit.ts';
import { PostgresInvitations } from './tokens/postgres-invitations.ts';
import { ScopeUses } from './tokens/scope-uses.ts';
import { SessionCookies } from './tokens/session-cookies.ts';
import { SessionStore } from './tokens/session-store.ts';
import { TokenStore } from './tokens/token-store.ts';
import { TokenUses } from './tokens/token-uses.ts';
import { LOGIN_WINDOW_SECONDS, TryStore } from './tokens/try-store.ts';
import { UsageController } from './usage.controller.ts';
import { LimitMeter } from '../kernel/limits.ts';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { AsOfResolver } from '../platform/http/as-of/as-of-resolver.ts';
import { RequestContexts } from '../platform/http/context/request-context.ts';
import { IdempotencyStore } from '../platform/http/idempotency/idempotency-store.ts';
import { KeyedWrites } from '../platform/http/idempotency/keyed-writes.ts';
import { Claims } from '../platform/postgres/claims.ts';
import { DATABASE } from '../platform/postgres/pool.ts';
import { SharedWindows } from '../platform/postgres/shared-windows.ts';
import { ViewsAt } from '../platform/read-models/views/views.ts';
import { Erasures } from '../platform/security/erasures.ts';
import { Keyring } from '../platform/security/keyring/keyring.ts';
import { ROTATING_SECRETS, type RotatingSecrets, Secrets } from '../platform/security/keyring/secrets.ts';

/** Counts survive a restart. */
@Injectable()
class LastExchange implements BeforeApplicationShutdown {
  constructor(private readonly windows: SharedWindows) {}

  beforeApplicationShutdown(): Promise<void> {
    return this.windows.close();
  }
}

const logger = new Logger('budgets');

const [HOUR_SECONDS, DAY_SECONDS] = [3_600, 86_400] as const;

/** Stores of account data outside the log. */
const stores = [
  {
    provide: EmailDirectory,
    useFactory: (claims: Claims, secrets: Secrets) => new EmailDirectory(claims, secrets),
    inject: [Claims, Secrets],
  },
  { provide: Passwords, useFactory: (pool: pg.Pool) => new Passwords(pool), inject: [DATABASE] },
  { provide: PasswordChanges, useFactory: (pool: pg.Pool) => new PasswordChanges(pool), inject: [DATABASE] },
  { provide: FactorStore, useFactory: (pool: pg.Pool) => new FactorStore(pool), inject: [DATABASE] },
  {
    provide: Challenges,
    useFactory: (pool: pg.Pool, secrets: Secrets) => new Challenges(pool, secrets),
    inject: [DATABASE, Secrets],
  },
  { provide: TokenStore, useFactory: (pool: pg.Pool) => new TokenStore(pool), inject: [DATABASE] },
  { provide: ScopeUses, useFactory: (pool: pg.Pool) => new ScopeUses(pool), inject: [DATABASE] },
  { provide: TokenUses, useFactory: (pool: pg.Pool, keyring: Keyring) => new TokenUses(pool, keyring), inject: [DATABASE, Keyring] },
  {
    provide: SessionCookies,
    useFactory: (pool: pg.Pool, secrets: Secrets) => new SessionCookies(pool, secrets),
    inject: [DATABASE, Secrets],
  },
  { provide: SessionStore, useFactory: (pool: pg.Pool) => new SessionStore(pool), inject: [DATABASE] },
  { provide: Invitations, useFactory: (pool: pg.Pool) => new PostgresInvitations(pool), inject: [DATABASE] },
  { provide: LinkStore, useFactory: (pool: pg.Pool) => new LinkStore(pool), inject: [DATABASE] },
  { provide: TryStore, useFactory: (pool: pg.Pool) => new TryStore(pool, LOGIN_WINDOW_SECONDS), inject: [DATABASE] },
  {
    provide: GuessStore,
    useFactory: (pool: pg.Pool, { guessLimit }: Config) => new GuessStore(pool, guessLimit),
    inject: [DATABASE, CONFIG],
  },
  {
    provide: KnownNetworks,
    useFactory: (pool: pg.Pool, secrets: Secrets) => new KnownNetworks(pool, secrets),
    inject: [DATABASE, Secrets],
  },
  {
    provide: MailLimit,
    useFactory: (pool: pg.Pool, directory: EmailDirectory, quarterHour: TryStore, { mailsPerRecipient }: Config, meter: LimitMeter) =>
      new MailLimit(directory, { quarterHour, day: new TryStore(pool, DAY_SECONDS) }, mailsPerRecipient, meter),
    inject: [DATABASE, EmailDirectory, TryStore, CONFIG, LimitMeter],
  },
  {
    provide: REGISTRATION_LIMIT,
    useFactory: (pool: pg.Pool, secrets: Secrets, { registrationLimit }: Config) =>
      new NetworkLimit(new TryStore(pool, HOUR_SECONDS), secrets, 'registration', registrationLimit),
    inject: [DATABASE, Secrets, CONFIG],
  },
  {
    provide: IdempotencyStore,
    useFactory: (pool: pg.Pool, { eventStoreUrl }: Config) => new IdempotencyStore(pool, eventStoreUrl !== undefined),
    inject: [DATABASE, CONFIG],
  },
  { provide: SignInCodes, useFactory: (pool: pg.Pool) => new SignInCodes(pool), inject: [DATABASE] },
  { provide: SealedSignIns, useFactory: (secrets: Secrets) => new SealedSignIns(secrets), inject: [Secrets] },
  {
    provide: SignInProvider,
    useFactory: ({ signInProvider, publicUrl }: Config) =>
      signInProvider === undefined ? null : new SignInProvider(signInProvider, callbackUrl(publicUrl)),
    inject: [CONFIG],
  },
  { provide: TokenSigner, useFactory: ({ jwt }: RotatingSecrets) => TokenSigner.open(jwt), inject: [ROTATING_SECRETS] },
  { provide: RateLimiter, useFactory: ({ rateLimit }: Config) => new RateLimiter(rateLimit), inject: [CONFIG] },
];

/** Accounts, sign-in, sessions, tokens, second factors. Nest runs the three guards before every route in this order: who calls, what they may, whether they confirmed it. */
@Module({
  controllers: [
    AuthenticateController,
    ProviderController,
    AccountController,
    UsageController,
    TokenController,
    IdentityController,
    RegistrationController,
    NotificationEmailController,
    LinkPagesController,
    AccountsController,
    SessionController,
    SecondFactorController,
  ],
  providers: [
    {
      provide: SharedWindows,
      useFactory: (pool: pg.Pool) =>
        new SharedWindows(pool, (err) => {
          logger.warn({ msg: 'counts of budgets are not exchanged; each instance counts by itself', err });
        }),
      inject: [DATABASE],
    },
    AccountBudgets,
    RequestBudget,
    EventBudget,
    StreamBudget,
    LastExchange,
    ...stores,
    Principals,
    ScopeCheck,
    StreamRights,
    JwtStrategy,
    VerifiedTokens,
    LoginThrottle,
    SecondFactorCheck,
    SignIn,
    ConsoleSessions,
    ForcedDomains,
    ProviderSignIn,
    RecentSignIn,
    RequestContexts,
    KeyedWrites,
    AsOfResolver,
    { provide: APP_GUARD, useClass: TokenGuard },
    { provide: APP_GUARD, useClass: RightsGuard },
    { provide: APP_GUARD, useClass: RecentSignInGuard },
    Links,
    People,
    TokenNarrowing,
    { provide: Erasures, useFactory: (pool: pg.Pool) => new Erasures(pool), inject: [DATABASE] },
    {
      provide: AccountErasure,
      useFactory: (bus: CommandBus, views: ViewsAt, erasures: Erasures, invitations: Invitations, notices: ErasureNotices) =>
        new AccountErasure(bus, views, erasures, invitations, notices),
      inject: [CommandBus, ViewsAt, Erasures, Invitations, ErasureNotices],
    },
    SessionAnswers,
  ],
  exports: [
    SharedWindows,
    AccountBudgets,
    RequestBudget,
    EventBudget,
    StreamBudget,
    ...stores.map(({ provide }) => provide),
    LoginThrottle,
    ForcedDomains,
    RecentSignIn,
    SecondFactorCheck,
    SignIn,
    ProviderSignIn,
    ConsoleSessions,
    AsOfResolver,
    Principals,
    ScopeCheck,
    StreamRights,
    RequestContexts,
    KeyedWrites,
    RateLimiter,
    Links,
    People,
    TokenNarrowing,
  ],
})
export class AccountsModule {}
