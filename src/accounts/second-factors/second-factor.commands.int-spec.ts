import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import { MemoryKeyring } from '../../../test/support/memory/memory-keyring.ts';
import { accountTarget } from '../account.state.ts';
import { openAccount } from '../account.decider.ts';
import { FactorStore } from './factor-store.ts';
import { RecoveryCodes } from './recovery-codes.ts';
import { stepAt, totpCode } from './totp.ts';
import { AccountChanges } from '../tokens/account-changes.ts';
import { KnownNetworks } from '../tokens/known-networks.ts';
import { SessionStore } from '../tokens/session-store.ts';
import { TokenStore } from '../tokens/token-store.ts';
import { type CommandContext, systemContext } from '../../platform/commands/context.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { ProveByCode, ProveByCodeHandler, ReadFactors, ReadFactorsHandler } from './factor-proof.commands.ts';
import { type ConfirmedFactor, FactorConfirmation } from './recovery-code.commands.ts';
import {
  ConfirmTotp,
  ConfirmTotpHandler,
  EnrolTotp,
  EnrolTotpHandler,
  RemoveFactors,
  RemoveFactorsHandler,
} from './second-factor.commands.ts';
import { SignInAccount, SignInAccountHandler } from '../sessions/session.commands.ts';
import { type IssuedToken, SessionEnd } from '../tokens/token.commands.ts';

const actor = { kind: 'user', id: '1' } as const;
const later = new Date(Date.now() + 3_600_000);
const codeOf = (secret: string, off = 0): string => totpCode(secret, stepAt(Date.now()) + off);

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** The process dies before its next append. */
class DyingStore extends MemoryEventStore {
  dies = false;

  override append(...given: Parameters<MemoryEventStore['append']>): ReturnType<MemoryEventStore['append']> {
    return this.dies ? Promise.reject(new Error('the process died')) : super.append(...given);
  }
}

let userId = 0;
let events: DyingStore;
let tokens: TokenStore;
let enrol: (context?: CommandContext) => Promise<{ readonly factorId: string; readonly secret: string }>;
let confirm: (factorId: string, code: string, context?: CommandContext) => Promise<ConfirmedFactor>;
let prove: (code: string) => Promise<string | null>;
let kinds: () => Promise<readonly string[]>;
let remove: (factorId: string) => Promise<number>;
let signIn: (secondFactor?: 'totp') => Promise<IssuedToken | null>;
const context = (commandId?: string): CommandContext => systemContext(actor, Date.now(), commandId === undefined ? {} : { commandId });

beforeEach(async () => {
  userId++;
  const { pool } = database;
  events = new DyingStore();
  const runner = new CommandRunner(events);
  const keyring = new MemoryKeyring();
  const secrets = { secret: () => Promise.resolve(Buffer.alloc(32)) };
  const [store, codes, changes] = [new FactorStore(pool), new RecoveryCodes(pool, secrets), new AccountChanges()];
  tokens = new TokenStore(pool);
  const sealed = await keyring.seal(`account-${String(userId)}`, 'x');
  const wanted = { userId, email: sealed, name: sealed, apiKey: sealed, plan: 'free', systemRole: null, confirmed: true } as const;
  await runner.run(accountTarget(userId), context(), (account) => openAccount(account, { ...wanted, by: 'registration' }));
  const sessions = new SessionStore(pool);
  const sessionEnd = new SessionEnd(runner, sessions, changes);
  const confirmation = new FactorConfirmation(runner, keyring, secrets, codes, sessions, changes);
  const enrolling = new EnrolTotpHandler(runner, keyring, secrets, store);
  const confirming = new ConfirmTotpHandler(runner, keyring, store, confirmation);
  const proving = new ProveByCodeHandler(runner, keyring, store, codes);
  const removing = new RemoveFactorsHandler(runner, keyring, store, codes, changes);
  const networks = new KnownNetworks(pool, secrets);
  const meter = { refused: () => undefined };
  const signingIn = new SignInAccountHandler(runner, keyring, secrets, tokens, networks, sessions, sessionEnd, meter);
  enrol = (given = context()) => enrolling.execute(new EnrolTotp(given, { userId }));
  confirm = (factorId, code, given = context()) =>
    confirming.execute(new ConfirmTotp(given, { userId, factorId, name: 'phone', code, tokenId: 'own token' }));
  prove = (code) => proving.execute(new ProveByCode(context(), { userId, code }));
  kinds = () => new ReadFactorsHandler(runner).execute(new ReadFactors(userId));
  remove = (factorId) => removing.execute(new RemoveFactors(context(), { userId, what: { factorId } }));
  signIn = (secondFactor) =>
    signingIn.execute(
      new SignInAccount(context(), {
        userId,
        expiresAt: later,
        proof: { passwordHash: null, secondFactor },
        origin: { address: '192.0.2.1', userAgent: null },
        most: 100,
      }),
    );
});

describe('adding an authenticator app', () => {
  it('that a crash interrupts before its event opens nothing, and can be completed with the next code', async () => {
    const { factorId, secret } = await enrol();
    events.dies = true;
    await expect(confirm(factorId, codeOf(secret, -1))).rejects.toThrow('died');
    events.dies = false;
    expect(await kinds()).toEqual([]);
    expect(await prove(codeOf(secret))).toBeNull();
    expect((await signIn())?.tokenId).toEqual(expect.any(String));
    expect((await confirm(factorId, codeOf(secret))).recoveryCodes).toHaveLength(10);
    expect(await kinds()).toEqual(['totp']);
  });

  it('shows the same secret and the same codes to a repeat', async () => {
    const first = await enrol(context('enrol'));
    expect(await enrol(context('enrol'))).toEqual(first);
    const confirmed = await confirm(first.factorId, codeOf(first.secret, -1), context('confirm'));
    expect(await confirm(first.factorId, codeOf(first.secret, -1), context('confirm'))).toEqual(confirmed);
    await expect(enrol(context('enrol'))).rejects.toThrow('not found');
    expect(await prove(confirmed.recoveryCodes?.[4] ?? '')).toBe('recovery code');
    expect(await prove(confirmed.recoveryCodes?.[4] ?? '')).toBeNull();
  });

  it('replaces one that was begun and not confirmed, never one that is in force', async () => {
    const [abandoned, used] = [await enrol(), await enrol()];
    await expect(confirm(abandoned.factorId, codeOf(abandoned.secret))).rejects.toThrow('begun');
    await confirm(used.factorId, codeOf(used.secret, -1));
    await enrol();
    expect(await prove(codeOf(used.secret))).toBe('totp');
    await remove(used.factorId);
    expect([await prove(codeOf(used.secret, 1)), await kinds()]).toEqual([null, []]);
  });

  it('is not outrun by a sign-in that has not shown it', async () => {
    const { factorId, secret } = await enrol();
    await confirm(factorId, codeOf(secret));
    expect(await signIn()).toBeNull();
    const { rowCount } = await database.pool.query('SELECT FROM tokens WHERE user_id = $1', [userId]);
    expect(rowCount).toBe(0);
    expect((await signIn('totp'))?.tokenId).toEqual(expect.any(String));
  });
});
