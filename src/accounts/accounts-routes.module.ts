import { type BeforeApplicationShutdown, Injectable, Logger, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import pg from 'pg';
import { AccountsModule } from './accounts.module.ts';
import { AccountController } from './account.controller.ts';
import { AccountsController } from './accounts.controller.ts';
import { AccountBudgets } from './budgets/account-budgets.ts';
import { EventBudget } from './budgets/event-budget.ts';
import { RequestBudget } from './budgets/request-budget.ts';
import { StreamBudget } from './budgets/stream-budget.ts';
import { EmailDirectory } from './email-directory.ts';
import { SealedSignIns } from './identities/sealed-sign-in.ts';
import { callbackUrl, SignInProvider } from './identities/sign-in-provider.ts';
import { IdentityController } from './identity.controller.ts';
import { LinkPagesController } from './link-pages.controller.ts';
import { Links } from './links.ts';
import { NotificationEmailController } from './notification-email.controller.ts';
import { People } from './person.ts';
import { RegistrationController } from './registration.controller.ts';
import { RightsGuard } from './rights/rights.guard.ts';
import { ScopeCheck, TokenUses } from './tokens/token-uses.ts';
import { StreamRights } from './rights/stream-rights.ts';
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
import { RateLimiter } from './budgets/rate-limit.ts';
import { RecentSignInGuard, RecentSignIn } from './sign-in/recent-sign-in.ts';
import { SecondFactorCheck } from './sign-in/second-factor-check.ts';
import { ConsoleSessions } from './sign-in/session/console-sessions.ts';
import { SignIn } from './sign-in/sign-in.ts';
import { TokenSigner } from './sign-in/token-signer.ts';
import { VerifiedTokens } from './sign-in/verified-tokens.ts';
import { TokenNarrowing } from './token-narrowing.ts';
import { TokenController } from './token.controller.ts';
import { MailLimit } from './tokens/mail-limit.ts';
import { NetworkLimit, REGISTRATION_LIMIT } from './tokens/network-limit.ts';
import { SessionCookies } from './tokens/session-cookies.ts';
import { TryStore } from './tokens/try-store.ts';
import { UsageController } from './usage.controller.ts';
import { LimitMeter } from '../kernel/limits.ts';
import { CONFIG, type Config } from '../platform/config/config.ts';
import { AsOfResolver } from '../platform/http/as-of/as-of-resolver.ts';
import { RequestContexts } from '../platform/http/context/request-context.ts';
import { KeyedWrites } from '../platform/http/idempotency/keyed-writes.ts';
import { SharedWindows } from '../platform/postgres/shared-windows.ts';
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

/** Stores and limits that only requests need. */
const stores = [
  { provide: TokenUses, useFactory: (pool: pg.Pool, keyring: Keyring) => new TokenUses(pool, keyring), inject: [pg.Pool, Keyring] },
  SessionCookies,
  {
    provide: MailLimit,
    useFactory: (pool: pg.Pool, directory: EmailDirectory, quarterHour: TryStore, { mailsPerRecipient }: Config, meter: LimitMeter) =>
      new MailLimit(directory, { quarterHour, day: new TryStore(pool, DAY_SECONDS) }, mailsPerRecipient, meter),
    inject: [pg.Pool, EmailDirectory, TryStore, CONFIG, LimitMeter],
  },
  {
    provide: REGISTRATION_LIMIT,
    useFactory: (pool: pg.Pool, secrets: Secrets, { registrationLimit }: Config) =>
      new NetworkLimit(new TryStore(pool, HOUR_SECONDS), secrets, 'registration', registrationLimit),
    inject: [pg.Pool, Secrets, CONFIG],
  },
  SealedSignIns,
  {
    provide: SignInProvider,
    useFactory: ({ signInProvider, publicUrl }: Config) =>
      signInProvider === undefined ? null : new SignInProvider(signInProvider, callbackUrl(publicUrl)),
    inject: [CONFIG],
  },
  { provide: TokenSigner, useFactory: ({ jwt }: RotatingSecrets) => TokenSigner.open(jwt), inject: [ROTATING_SECRETS] },
  { provide: RateLimiter, useFactory: ({ rateLimit }: Config) => new RateLimiter(rateLimit), inject: [CONFIG] },
];

/** The routes of accounts, sign-in, sessions, tokens, second factors. Nest runs the three guards before every route in this order: who calls, what they may, whether they confirmed it. */
@Module({
  imports: [AccountsModule],
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
      inject: [pg.Pool],
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
    TokenGuard,
    { provide: APP_GUARD, useExisting: TokenGuard },
    { provide: APP_GUARD, useClass: RightsGuard },
    { provide: APP_GUARD, useClass: RecentSignInGuard },
    Links,
    People,
    TokenNarrowing,
    SessionAnswers,
  ],
  exports: [
    SharedWindows,
    AccountBudgets,
    RequestBudget,
    EventBudget,
    StreamBudget,
    AccountsModule,
    ...stores.map((store) => ('provide' in store ? store.provide : store)),
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
export class AccountsRoutesModule {}
