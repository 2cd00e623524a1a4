import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { MemoryKeyring } from '../../../test/support/memory/memory-keyring.ts';
import { MemoryClaims } from '../../../test/support/memory/memory-claims.ts';
import { PasswordChanges } from '../passwords/password-changes.ts';
import { Passwords } from '../passwords/passwords.ts';
import { AccountChanges } from './account-changes.ts';
import { LinkStore } from './link-store.ts';
import { ConsoleAddresses } from '../sessions/console-addresses.ts';
import { KnownNetworks } from './known-networks.ts';
import { SessionStore } from './session-store.ts';
import { FactorStore } from '../second-factors/factor-store.ts';
import { RecoveryCodes } from '../second-factors/recovery-codes.ts';
import { TokenStore } from './token-store.ts';
import { accountTarget } from '../account.state.ts';
import { AccountNotFound, openAccount, TokenNotFound } from '../account.decider.ts';
import type { Limit, LimitMeter } from '../../kernel/limits.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { systemContext } from '../../platform/commands/context.ts';
import { SignInAccount, SignInAccountHandler } from '../sessions/session.commands.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { ChangePassword, ChangePasswordHandler, SettlePasswordHandler } from '../passwords/password.commands.ts';
import { EraseAccount, EraseAccountHandler } from '../account.commands.ts';
import { type IssuedToken, IssueToken, IssueTokenHandler, RevokeToken, RevokeTokenHandler, SessionEnd } from './token.commands.ts';

const actor = { kind: 'user', id: '1' } as const;
const later = new Date(Date.now() + 3_600_000);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Does something else just before a token's row is added, or just after. */
class InterruptedTokens extends TokenStore {
  before: (tokenId: string) => Promise<void> = () => Promise.resolve();
  after: (tokenId: string) => Promise<void> = () => Promise.resolve();

  override async add(...[token, hash]: Parameters<TokenStore['add']>): Promise<boolean> {
    await this.before(token.tokenId);
    const added = await super.add(token, hash);
    await this.after(token.tokenId);
    return added;
  }
}

let userId = 0;
let refused: Partial<Record<Limit, number>> = {};
let tokens: InterruptedTokens;
let issue: (commandId?: string) => Promise<IssuedToken>;
let revoke: (tokenId: string) => Promise<void>;
let signIn: (most: number) => Promise<string>;
let eventsOf: (tokenId: string) => Promise<readonly string[]>;
let changePassword: () => Promise<void>;
let erase: () => Promise<void>;
let addresses: ConsoleAddresses;
const rows = async (): Promise<number | null> => (await database.pool.query('SELECT FROM tokens WHERE user_id = $1', [userId])).rowCount;

beforeEach(async () => {
  userId++;
  refused = {};
  tokens = new InterruptedTokens(database.pool);
  const store = new MemoryEventStore();
  const runner = new CommandRunner(store);
  const keyring = new MemoryKeyring();
  const [passwords, links, changes] = [new Passwords(database.pool), new LinkStore(database.pool), new AccountChanges()];
  const begun = new PasswordChanges(database.pool);
  const context = (commandId?: string) => systemContext(actor, Date.now(), commandId === undefined ? {} : { commandId });
  const sealed = await keyring.seal(`account-${String(userId)}`, 'x');
  const wanted = { userId, email: sealed, name: sealed, apiKey: sealed, plan: 'free', systemRole: null, confirmed: true } as const;
  await runner.run(accountTarget(userId), context(), (account) => openAccount(account, { ...wanted, by: 'registration' }));
  const secrets = { secret: () => Promise.resolve(Buffer.alloc(32)) };
  const networks = new KnownNetworks(database.pool, secrets);
  addresses = new ConsoleAddresses(database.pool, { publicUrl: undefined });
  const sessions = new SessionStore(database.pool);
  const [factors, codes] = [new FactorStore(database.pool), new RecoveryCodes(database.pool, secrets)];
  const issuing = new IssueTokenHandler(runner, keyring, secrets, tokens);
  const revoking = new RevokeTokenHandler(runner, tokens, sessions, changes, new SessionEnd(runner, sessions, changes));
  const changing = new ChangePasswordHandler(runner, begun, new SettlePasswordHandler(runner, begun, changes));
  signIn = async (most) => {
    const [mine, other] = [new AccountChanges(), new SessionStore(database.pool)];
    const end = new SessionEnd(runner, other, mine);
    const meter: LimitMeter = { refused: (limit, times) => (refused[limit] = (refused[limit] ?? 0) + (times ?? 1)) };
    const signing = new SignInAccountHandler(runner, keyring, secrets, tokens, networks, other, end, meter);
    const origin = { address: '192.0.2.1', userAgent: null };
    return (
      (await signing.execute(new SignInAccount(context(), { userId, expiresAt: later, proof: { passwordHash: 'hash' }, origin, most })))
        ?.tokenId ?? ''
    );
  };
  eventsOf = async (tokenId) => {
    const types: string[] = [];
    for await (const { type } of store.readStream(`login-${tokenId}`)) types.push(type);
    return types;
  };
  const erasing = new EraseAccountHandler(
    runner,
    new MemoryClaims(),
    keyring,
    passwords,
    begun,
    tokens,
    links,
    networks,
    addresses,
    factors,
    codes,
    changes,
  );
  issue = (commandId) => issuing.execute(new IssueToken(context(commandId), { userId, name: 'ci', expiresAt: later }));
  revoke = (tokenId) => revoking.execute(new RevokeToken(context(), { userId, tokenId }));
  changePassword = () => changing.execute(new ChangePassword(context(), { userId, password: 'another password', by: 'owner' }));
  erase = () => erasing.execute(new EraseAccount(context(), { userId }));
});

describe('the sessions of an account', () => {
  it('beyond the bound end by least recent use, also when two instances sign in at once', async () => {
    await database.pool.query(`INSERT INTO passwords (user_id, hash) VALUES ($1, 'hash')`, [userId]);
    const valid = async (): Promise<string[]> => (await new SessionStore(database.pool).ofUser(userId)).map(({ tokenId }) => tokenId);
    const first = [await signIn(3), await signIn(3), await signIn(3)];
    await database.pool.query(`UPDATE tokens SET last_used_at = now() + interval '1 minute' WHERE token_id = $1`, [first[0]]);
    const fourth = await signIn(3);
    expect((await valid()).toSorted()).toEqual([first[0], first[2], fourth].toSorted());
    expect(refused).toEqual({ sessions: 1 });
    expect(await eventsOf(first[1] ?? '')).toEqual(['TokenIssued', 'TokenRevoked']);
    expect(await tokens.use(first[1] ?? '')).toBeNull();
    // Each call stands for an instance: they share nothing but the database.
    const many = await Promise.all(Array.from({ length: 8 }, () => signIn(3)));
    expect(await valid()).toHaveLength(3);
    expect(await valid()).toContain(first[0]);
    const histories = await Promise.all(many.map(eventsOf));
    expect(histories.filter((events) => events.length === 2)).toHaveLength(6);
  });
});

describe('a session that is ended before its sign-in is recorded', () => {
  beforeEach(() => database.pool.query(`INSERT INTO passwords (user_id, hash) VALUES ($1, 'hash')`, [userId]));

  it('is ended by that sign-in, after its event', async () => {
    tokens.after = revoke;
    const tokenId = await signIn(3);
    expect(await eventsOf(tokenId)).toEqual(['TokenIssued', 'TokenRevoked']);
    expect(await rows()).toBe(0);
  });

  it('stays ended after a crash, and hinders no later sign-in', async () => {
    let crashed = '';
    tokens.after = (tokenId) => {
      crashed = tokenId;
      throw new Error('crashed');
    };
    await expect(signIn(1)).rejects.toThrow('crashed');
    tokens.after = () => Promise.resolve();
    const next = await signIn(1);
    await revoke(crashed);
    expect(await tokens.use(crashed)).toBeNull();
    expect(await eventsOf(crashed)).toEqual([]);
    expect((await new SessionStore(database.pool).ofUser(userId)).map(({ tokenId }) => tokenId)).toEqual([next]);
  });
});

describe('a personal token', () => {
  it('is good once it was issued, also when the request is repeated', async () => {
    const { tokenId } = await issue('command');
    expect(await issue('command')).toMatchObject({ tokenId });
    expect(await tokens.use(tokenId)).toEqual({
      userId,
      kind: 'personal',
      projectId: null,
      confirmedAt: null,
      secondFactor: null,
      isSession: false,
    });
  });

  it.each(['before', 'after'] as const)('does not survive a new password that is set just %s its row is added', async (when) => {
    tokens[when] = changePassword;
    await expect(issue()).rejects.toThrow(TokenNotFound);
    expect(await rows()).toBe(0);
  });

  it.each(['before', 'after'] as const)('does not survive when it is revoked just %s its row is added', async (when) => {
    tokens[when] = revoke;
    await expect(issue()).rejects.toThrow(TokenNotFound);
    expect(await rows()).toBe(0);
  });

  it('leaves no address of the console to its account once that is erased', async () => {
    await addresses.add(userId, null, { protocol: 'https', host: 'watch.example' });
    expect(await addresses.of(userId)).toBe('https://watch.example');
    await erase();
    expect(await addresses.of(userId)).toBeNull();
  });

  it.each(['before', 'after'] as const)('does not survive its account, erased just %s its row is added', async (when) => {
    tokens[when] = erase;
    await expect(issue()).rejects.toThrow(AccountNotFound);
    expect(await rows()).toBe(0);
  });

  it('that was revoked does not come back with a late repeat of the request', async () => {
    const { tokenId } = await issue('command');
    await revoke(tokenId);
    await expect(issue('command')).rejects.toThrow(TokenNotFound);
    expect(await rows()).toBe(0);
  });
});
