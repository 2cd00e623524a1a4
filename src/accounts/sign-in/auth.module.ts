import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type pg from 'pg';
import { Claims } from '../../platform/postgres/claims.ts';
import { EmailDirectory } from '../email-directory.ts';
import { Keyring } from '../../platform/security/keyring/keyring.ts';
import { ROTATING_SECRETS, type RotatingSecrets } from '../../platform/security/keyring/rotating-secrets.ts';
import { Secrets } from '../../platform/security/keyring/secrets.ts';
import { PasswordChanges } from '../passwords/password-changes.ts';
import { Passwords } from '../passwords/passwords.ts';
import { DATABASE } from '../../platform/postgres/pool.ts';
import { Invitations } from '../tokens/invitations.ts';
import { PostgresInvitations } from '../tokens/postgres-invitations.ts';
import { LinkStore } from '../tokens/link-store.ts';
import { SealedSignIns } from '../identities/sealed-sign-in.ts';
import { SignInCodes } from '../identities/sign-in-codes.ts';
import { callbackUrl, SignInProvider } from '../identities/sign-in-provider.ts';
import { SessionCookies } from '../tokens/session-cookies.ts';
import { SessionStore } from '../tokens/session-store.ts';
import { GuessStore } from '../tokens/guess-store.ts';
import { KnownNetworks } from '../tokens/known-networks.ts';
import { MailLimit } from '../tokens/mail-limit.ts';
import { NetworkLimit, REGISTRATION_LIMIT } from '../tokens/network-limit.ts';
import { Challenges } from '../second-factors/challenges.ts';
import { FactorStore } from '../second-factors/factor-store.ts';
import { TokenStore } from '../tokens/token-store.ts';
import { ScopeUses } from '../tokens/scope-uses.ts';
import { TokenUses } from '../tokens/token-uses.ts';
import { LOGIN_WINDOW_SECONDS, TryStore } from '../tokens/try-store.ts';
import { CONFIG, type Config } from '../../platform/config/config.ts';
import { LimitMeter } from '../../kernel/limits.ts';
import { AsOfResolver } from '../../platform/http/as-of/as-of-resolver.ts';
import { RequestContexts } from '../../platform/http/context/request-context.ts';
import { IdempotencyStore } from '../../platform/http/idempotency/idempotency-store.ts';
import { KeyedWrites } from '../../platform/http/idempotency/keyed-writes.ts';
import { BudgetsModule } from '../budgets/budgets.module.ts';
import { ReceiptRequests } from '../../proof/receipts/receipt-requests.ts';
import { RightsGuard } from '../rights/rights.guard.ts';
import { ScopeCheck } from '../rights/scope-check.ts';
import { StreamRights } from '../rights/stream-rights.ts';
import { TokenGuard } from './auth.guard.ts';
import { AuthenticateController } from './authenticate.controller.ts';
import { JwtStrategy } from './jwt.strategy.ts';
import { LoginThrottle } from './login-throttle.ts';
import { Principals } from './principals.ts';
import { ForcedDomains } from './provider/forced-domains.ts';
import { ProviderController } from './provider/provider.controller.ts';
import { ProviderSignIn } from './provider/provider-sign-in.ts';
import { RateLimiter } from './rate-limiter.ts';
import { RecentSignInGuard } from './recent-sign-in.guard.ts';
import { RecentSignIn } from './recent-sign-in.ts';
import { SecondFactorCheck } from './second-factor-check.ts';
import { ConsoleSessions } from './session/console-sessions.ts';
import { SignIn } from './sign-in.ts';
import { TokenSigner } from './token-signer.ts';
import { VerifiedTokens } from './verified-tokens.ts';

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

/** Authentication, authorisation, re-authentication: Nest runs the three guards before every route in this order. */
@Module({
  imports: [BudgetsModule],
  controllers: [AuthenticateController, ProviderController],
  providers: [
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
    ReceiptRequests,
    { provide: APP_GUARD, useClass: TokenGuard },
    { provide: APP_GUARD, useClass: RightsGuard },
    { provide: APP_GUARD, useClass: RecentSignInGuard },
  ],
  exports: [
    BudgetsModule,
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
  ],
})
export class AuthModule {}
