import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import type { ExecutionContext } from '@nestjs/common';
import type { CommandBus } from '@nestjs/cqrs';
import { verify } from '@node-rs/argon2';
import jwt from 'jsonwebtoken';
import type pg from 'pg';
import { masterKeys, oneTokenKey } from '../test/support/master-keys.ts';
import type { Config } from '../src/platform/config/config.ts';
import { builtInPlans } from '../src/accounts/plan.ts';
import { EmailDirectory } from '../src/accounts/email-directory.ts';
import { PostgresKeyring } from '../src/platform/security/keyring/postgres-keyring.ts';
import { PostgresSecrets } from '../src/platform/security/keyring/secrets.ts';
import { PasswordChanges } from '../src/accounts/passwords/password-changes.ts';
import { Passwords } from '../src/accounts/passwords/passwords.ts';
import { SharedWindows } from '../src/platform/postgres/shared-windows.ts';
import { openPool } from '../src/platform/postgres/pool.ts';
import { PostgresClaims } from '../src/platform/postgres/postgres-claims.ts';
import { AccountChanges } from '../src/accounts/tokens/account-changes.ts';
import { MemoryViews } from '../test/support/memory-views.ts';
import { GuessStore } from '../src/accounts/tokens/guess-store.ts';
import { KnownNetworks } from '../src/accounts/tokens/known-networks.ts';
import { LinkStore } from '../src/accounts/tokens/link-store.ts';
import { networkMatcher } from '../src/platform/security/networks.ts';
import { ScopeUses, ScopeCheck } from '../src/accounts/tokens/token-uses.ts';
import { ConsoleAddresses } from '../src/accounts/sessions/console-addresses.ts';
import { SessionCookies } from '../src/accounts/tokens/session-cookies.ts';
import { SessionStore } from '../src/accounts/tokens/session-store.ts';
import { TokenStore } from '../src/accounts/tokens/token-store.ts';
import { TryStore } from '../src/accounts/tokens/try-store.ts';
import { LocalWake } from '../src/platform/postgres/wake.ts';
import { OpenAccount, OpenAccountHandler } from '../src/accounts/account.commands.ts';
import { ReadFactors, ReadFactorsHandler } from '../src/accounts/second-factors/factor-proof.commands.ts';
import { type SignInAccount, SignInAccountHandler } from '../src/accounts/sessions/session.commands.ts';
import { SettlePassword, SettlePasswordHandler } from '../src/accounts/passwords/password.commands.ts';
import { SessionEnd } from '../src/accounts/tokens/token.commands.ts';
import { systemContext } from '../src/platform/commands/context.ts';
import { CommandRunner } from '../src/platform/commands/command-runner.ts';
import { PostgresEventStore } from '../src/platform/event-store/postgres/postgres-event-store.ts';
import { AccountBudgets } from '../src/accounts/budgets/account-budgets.ts';
import { RequestBudget } from '../src/accounts/budgets/request-budget.ts';
import { TokenGuard } from '../src/accounts/sign-in/auth.guard.ts';
import { ForcedDomains } from '../src/accounts/sign-in/provider/forced-domains.ts';
import { LoginThrottle } from '../src/accounts/sign-in/login-throttle.ts';
import type { ProjectDirectory } from '../src/accounts/rights/project-directory.ts';
import { Principals } from '../src/accounts/sign-in/principals.ts';
import { RateLimiter } from '../src/accounts/budgets/rate-limit.ts';
import type { SecondFactorCheck } from '../src/accounts/sign-in/second-factor-check.ts';
import { ConsoleSessions } from '../src/accounts/sign-in/session/console-sessions.ts';
import { SignIn } from '../src/accounts/sign-in/sign-in.ts';
import { ALGORITHM, AUDIENCE, ISSUER, TokenSigner } from '../src/accounts/sign-in/token-signer.ts';
import { JwtStrategy } from '../src/accounts/sign-in/jwt.strategy.ts';
import { VerifiedTokens } from '../src/accounts/sign-in/verified-tokens.ts';
import type { Principal } from '../src/platform/http/context/principal.ts';
import { RequestContexts } from '../src/platform/http/context/request-context.ts';
import { projectRight } from '../src/accounts/rights/right.ts';
import { coversProject, requireScopes, scopeOf } from '../src/accounts/rights/scopes.ts';
import type { AccountRow } from '../src/accounts/account.view.ts';
import type { ViewsAt } from '../src/platform/read-models/views/views.ts';
import { type Bench, figure, inTurns, median } from './support/bench.ts';

const PASSWORD = 'correct horse battery staple';
const CHECKS = 2_000;
const ROUNDS = 7;
const LOGINS = 15;

/** The time of signing in, and the cost of authenticating a request. */
const bench: Bench = async ({ database }) => {
  const pool = openPool(await database(), { name: 'bench', max: 4 });
  try {
    const master = randomBytes(32);
    const secrets = new PostgresSecrets(pool, masterKeys(pool, master));
    const keyring = new PostgresKeyring(pool, masterKeys(pool, master));
    const claims = new PostgresClaims(pool);
    const runner = new CommandRunner(new PostgresEventStore(pool, new LocalWake()));
    const directory = new EmailDirectory(claims, secrets);
    const passwords = new Passwords(pool);
    const tokens = new TokenStore(pool);
    const keys = oneTokenKey();
    const signer = new TokenSigner(keys);
    const opening = {
      email: 'ada@example.com',
      name: 'Ada',
      password: PASSWORD,
      plan: 'basic',
      systemRole: null,
      confirmed: true,
    } as const;
    await new OpenAccountHandler(runner, claims, keyring, directory, passwords).execute(
      new OpenAccount(systemContext({ kind: 'cli', id: 'bench' }, Date.now()), { wanted: { ...opening, by: 'administrator' } }),
    );
    const [sessions, changes] = [new SessionStore(pool), new AccountChanges()];
    const end = new SessionEnd(runner, sessions, changes);
    const networks = new KnownNetworks(pool, secrets);
    const handler = new SignInAccountHandler(runner, keyring, secrets, tokens, networks, sessions, end, { refused: () => undefined });
    const settling = new SettlePasswordHandler(runner, new PasswordChanges(pool), changes);
    const bus = {
      execute: (command: SignInAccount | SettlePassword) =>
        command instanceof SettlePassword ? settling.execute(command) : handler.execute(command),
    } as unknown as CommandBus;
    // No views run here; the bench 'visible' measures the wait for them.
    const contexts = new RequestContexts({ gate: { check: () => undefined }, waitFor: () => Promise.resolve() });
    const throttle = new LoginThrottle(
      new TryStore(pool, 900),
      new GuessStore(pool, 100),
      new KnownNetworks(pool, secrets),
      secrets,
      pool,
      new MemoryViews(() => []),
      { smtpUrl: undefined },
    );
    const forced = new ForcedDomains({ signInProvider: undefined }, new MemoryViews(() => []), keyring);
    const reading = new ReadFactorsHandler(runner);
    const factors = { kindsOf: (userId: number) => reading.execute(new ReadFactors(userId)) } as unknown as SecondFactorCheck;
    const signIn = new SignIn(bus, directory, passwords, throttle, factors, contexts, { maxSessions: 100 }, forced, new LinkStore(pool));
    const login = () => signIn.signIn({ email: opening.email, password: PASSWORD }, { address: '127.0.0.1', userAgent: 'bench' });
    const { userId, tokenId, ...times } = await login();
    const token = signer.sign(userId, tokenId, times);
    const cookies = new SessionCookies(pool, secrets);
    const addresses = new ConsoleAddresses(pool, { publicUrl: undefined });
    const cookie = await cookies.begin((await login()).tokenId, null, false);
    const console = new ConsoleSessions({ publicUrl: undefined }, cookies, addresses, bus, new MemoryViews(() => []), contexts, signIn);
    const { hash } = (await pool.query<{ hash: string }>('SELECT hash FROM passwords')).rows[0] ?? { hash: '' };
    const verified = new VerifiedTokens(signer);
    // Registers itself with Passport, which has one strategy of the name: the guards share it.
    new JwtStrategy(signer, verified);
    const bearer = { authorization: `Bearer ${token}` };
    const guard = (limits: Limits, headers: object = bearer): (() => Promise<unknown>) =>
      guardOf(pool, { verified, tokens, console }, headers, limits);
    const check = guard({ rateLimit: 1_000_000, tokenRateLimit: 1_000_000 });
    const ofAccount = guard({ rateLimit: 1_000_000, tokenRateLimit: 0 });
    const uncounted = guard({ rateLimit: 0, tokenRateLimit: 0 });
    const ofCookie = guard({ rateLimit: 1_000_000, tokenRateLimit: 1_000_000 }, { cookie: `watchledger-session=${cookie ?? ''}` });
    const ofScope = scopeCheckOf(pool);
    await check();
    await ofCookie();
    await ofScope();
    const checks = await inTurns(ROUNDS, {
      whole: () => cpuMicroseconds(check),
      cookie: () => cpuMicroseconds(ofCookie),
      ofAccount: () => cpuMicroseconds(ofAccount),
      uncounted: () => cpuMicroseconds(uncounted),
      scope: () => cpuMicroseconds(ofScope),
      bare: () =>
        cpuMicroseconds(() =>
          Promise.resolve(jwt.verify(token, keys.active.key, { algorithms: [ALGORITHM], audience: AUDIENCE, issuer: ISSUER })),
        ),
    });
    return [
      figure('signing in', await milliseconds(login), 'ms', {
        ceiling: await milliseconds(() => verify(hash, PASSWORD)),
        goal: { atMost: 150 },
      }),
      figure('the same with no window to count in, of CPU', checks.uncounted, 'µs', { ceiling: checks.bare }),
      figure('the same counted for the account alone, of CPU', checks.ofAccount, 'µs', { ceiling: checks.bare }),
      figure('a token checked, of CPU', checks.whole, 'µs', { ceiling: checks.bare, goal: { atMost: 100 } }),
      figure('scope, project and network of a narrowed token checked, of CPU', checks.scope, 'µs', {
        ceiling: checks.whole,
        goal: { atMost: 5 },
      }),
      figure('a session cookie checked, of CPU', checks.cookie, 'µs', { ceiling: checks.bare, goal: { atMost: 100 } }),
    ];
  } finally {
    await pool.end();
  }
};

export default bench;

type Limits = Pick<Config, 'rateLimit' | 'tokenRateLimit'>;

/** The authentication guard with a warm cache of the token's state. */
function guardOf(
  pool: pg.Pool,
  { verified, tokens, console }: { readonly verified: VerifiedTokens; readonly tokens: TokenStore; readonly console: ConsoleSessions },
  headers: object,
  limits: Limits,
): () => Promise<unknown> {
  const account = { userId: 1, plan: 'basic', systemRole: null, confirmed: true, secondFactors: [] } as unknown as AccountRow;
  const views = { now: () => ({ get: () => Promise.resolve(account) }) } as unknown as ViewsAt;
  const budget = new RequestBudget(new SharedWindows(pool, () => undefined), new AccountBudgets(builtInPlans, limits as Config));
  const handler = (): undefined => undefined;
  const principals = new Principals(tokens, views, new AccountChanges(), { open: () => Promise.resolve(null) }, {} as ProjectDirectory);
  const origin = { publicUrl: undefined };
  const guard = new TokenGuard(new RateLimiter(0), budget, { record: () => undefined }, verified, principals, console, origin);
  return () => {
    const request = {
      method: 'GET',
      url: '/api/project/5f8f8c44b54764421b7156c1',
      routeOptions: { url: '/api/project/:id' },
      protocol: 'http',
      headers,
      raw: {},
      ip: '127.0.0.1',
    };
    const context = {
      getHandler: () => handler,
      getClass: () => TokenGuard,
      switchToHttp: () => ({ getRequest: () => request, getResponse: () => ({ header: () => undefined }) }),
    } as unknown as ExecutionContext;
    return guard.canActivate(context);
  };
}

/** What the guards do for the limits of a token, with as many of them as it may have. */
function scopeCheckOf(pool: pg.Pool): () => Promise<unknown> {
  const projects = Array.from({ length: 100 }, (_, at) => at.toString(16).padStart(24, '0'));
  const networks = Array.from({ length: 50 }, (_, at) => `198.51.${String(at)}.0/24`);
  const limits = {
    ...{ scopes: new Set(['read', 'run', 'edit', 'feed'] as const), projects: new Set(projects) },
    addresses: { networks, include: networkMatcher(networks) },
  };
  const principal = { kind: 'token', tokenId: 'narrowed', limits } as unknown as Principal;
  const [uses, right] = [new ScopeCheck(new ScopeUses(pool)), projectRight('read')];
  return () => {
    const scope = scopeOf(right) ?? 'read';
    requireScopes(principal, [scope]);
    if (!coversProject(principal, projects[42] ?? '') || !limits.addresses.include('198.51.49.7')) throw new Error('the token is refused');
    uses.record(principal, [scope]);
    return Promise.resolve();
  };
}

async function cpuMicroseconds(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < CHECKS; n++) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CHECKS;
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < LOGINS; n++) {
    const began = performance.now();
    await work();
    times.push(performance.now() - began);
  }
  return median(times);
}
