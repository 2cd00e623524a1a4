import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { CrashableProcess, ProcessKilled } from '../../../test/support/notifications/crashable-process.ts';
import { hashPassword, Passwords } from './passwords.ts';
import { PasswordChanges } from './password-changes.ts';
import { openPool } from '../../platform/postgres/pool.ts';
import { AccountChanges } from '../tokens/account-changes.ts';
import { LinkStore } from '../tokens/link-store.ts';
import { TokenStore } from '../tokens/token-store.ts';
import { accountTarget } from '../account.state.ts';
import { AccountNotFound, erase, openAccount } from '../account.decider.ts';
import type { EventStore } from '../../platform/event-store/event-store.ts';
import { MemoryEventStore } from '../../../test/support/memory/memory-event-store.ts';
import type { StreamEvent } from '../../kernel/event.ts';
import { type BackpressureGate, systemContext } from '../../platform/commands/context.ts';
import { CommandRunner } from '../../platform/commands/command-runner.ts';
import { ChangePassword, ChangePasswordHandler, LinkInvalid, SettlePassword, SettlePasswordHandler } from './password.commands.ts';

const actor = { kind: 'user', id: '1' } as const;
const [OLD, NEW] = ['the old password', 'the new password'];
const later = new Date(Date.now() + 3_600_000);

let database: TestDatabase;
let pool: pg.Pool;
let oldHash: string;
beforeAll(async () => {
  database = await createTestDatabase();
  // Processes die here, not the database.
  oldHash = await hashPassword(OLD);
  pool = openPool(database.url, { name: 'mortals', max: 10, synchronousCommit: false });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

let userId = 0;
let store: EventStore;
let passwords: Passwords;

interface Process {
  change(password: string, given?: { readonly commandId?: string; readonly link?: string }): Promise<void>;
  settle(): Promise<string>;
  readonly runner: CommandRunner;
}

function processOf(throughPool: pg.Pool, throughStore: EventStore, gate?: BackpressureGate): Process {
  const runner = new CommandRunner(throughStore);
  const begun = new PasswordChanges(throughPool);
  const settling = new SettlePasswordHandler(runner, begun, new AccountChanges());
  const changing = new ChangePasswordHandler(runner, begun, settling);
  return {
    runner,
    change: (password, { commandId, link } = {}) => {
      const ungated = systemContext(actor, Date.now(), commandId === undefined ? {} : { commandId });
      const context = gate === undefined ? ungated : { ...ungated, gate };
      return changing.execute(
        new ChangePassword(context, { userId, password, by: link === undefined ? 'owner' : 'link', link: link ?? null }),
      );
    },
    settle: () => settling.execute(new SettlePassword(userId)),
  };
}

async function events(): Promise<readonly StreamEvent[]> {
  const found: StreamEvent[] = [];
  for await (const event of store.readStream(accountTarget(userId).stream)) if (event.type === 'PasswordChanged') found.push(event);
  return found;
}

const rows = async (table: 'tokens' | 'links' | 'password_changes'): Promise<number | null> =>
  (await pool.query(`SELECT FROM ${table} WHERE user_id = $1`, [userId])).rowCount;

const fits = async (password: string): Promise<boolean> => (await passwords.verify(userId, password)) !== null;

/** An account with a password, a token and a link. */
async function account(): Promise<void> {
  userId++;
  store = new MemoryEventStore();
  passwords = new Passwords(pool);
  const sealed = { subject: `account-${String(userId)}`, sealed: 'x' };
  const wanted = { userId, email: sealed, name: sealed, apiKey: sealed, plan: 'free', systemRole: null, confirmed: true } as const;
  const context = systemContext(actor, Date.now());
  await new CommandRunner(store).run(accountTarget(userId), context, (state) => openAccount(state, { ...wanted, by: 'registration' }));
  await pool.query('INSERT INTO passwords (user_id, hash) VALUES ($1, $2)', [userId, oldHash]);
  const token = { tokenId: `token of ${String(userId)}`, userId, kind: 'login', issuedAt: new Date(), expiresAt: later } as const;
  await new TokenStore(pool).add(token, null);
  await new LinkStore(pool).create(userId, 'password', later);
}

beforeEach(account);

describe.each(['before', 'after'] as const)('a process that is killed %s a step of a new password', (how) => {
  it('leaves no changed password without its event, and the next one finds the rest', async () => {
    for (let step = 1, died = true; died; step++) {
      await account();
      const crashable = new CrashableProcess();
      crashable.killAt(step, how);
      const dying = processOf(crashable.pool(pool), crashable.store(store));
      await dying.change(NEW).catch((error: unknown) => {
        if (!(error instanceof ProcessKilled)) throw error;
      });
      died = crashable.isDead;
      // The new password is never in force before its event is recorded.
      if (await fits(NEW)) expect({ step, recorded: (await events()).length }).toEqual({ step, recorded: 1 });
      await processOf(pool, store).settle();
      const [isNew, isOld, recorded] = [await fits(NEW), await fits(OLD), (await events()).length];
      const left = { tokens: await rows('tokens'), links: await rows('links'), begun: await rows('password_changes') };
      const expected = isNew
        ? { isOld: false, recorded: 1, left: { tokens: 0, links: 0, begun: 0 } }
        : { isOld: true, recorded: 0, left: { tokens: 1, links: 1, begun: 0 } };
      expect({ step, isOld, recorded, left }).toEqual({ step, ...expected });
      if (!died) expect({ step, isNew }).toEqual({ step, isNew: true });
    }
  });
});

describe('a new password', () => {
  it('of several at once is the one whose event is the last', async () => {
    const wanted = Array.from({ length: 5 }, (_, index) => ({
      commandId: `command ${String(index)}`,
      password: `password ${String(index)}`,
    }));
    await Promise.all(wanted.map(({ commandId, password }) => processOf(pool, store).change(password, { commandId })));
    const recorded = await events();
    expect(recorded).toHaveLength(5);
    const last = wanted.find(({ commandId }) => commandId === recorded.at(-1)?.meta.commandId);
    expect(await fits(last?.password ?? '')).toBe(true);
    expect(await rows('password_changes')).toBe(0);
  });

  it('is not brought back by a late repeat of its request', async () => {
    await processOf(pool, store).change(OLD, { commandId: 'first' });
    await processOf(pool, store).change(NEW);
    await processOf(pool, store).change(OLD, { commandId: 'first' });
    expect([await fits(NEW), (await events()).length]).toEqual([true, 2]);
  });

  it('changes nothing at all while reads are too far behind', async () => {
    const behind: BackpressureGate = {
      check: () => {
        throw new Error('behind');
      },
    };
    await expect(processOf(pool, store, behind).change(NEW)).rejects.toThrow('behind');
    expect([await fits(OLD), await rows('tokens'), await rows('password_changes')]).toEqual([true, 1, 0]);
  });

  it('is set through a link once, also by many at once', async () => {
    const link = await new LinkStore(pool).create(userId, 'password', later);
    const asked = Array.from({ length: 6 }, (_, index) => processOf(pool, store).change(`password ${String(index)}`, { link }));
    const outcomes = await Promise.allSettled(asked);
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(refused).toHaveLength(5);
    for (const reason of refused) expect(reason).toBeInstanceOf(LinkInvalid);
    expect(await events()).toHaveLength(1);
  });

  it('is not set through a link that has expired, or belongs to another account', async () => {
    const links = new LinkStore(pool);
    const ended = await links.create(userId, 'password', new Date(Date.now() - 1));
    const foreign = await links.create(userId + 1_000_000, 'password', later);
    for (const link of [ended, foreign, 'made up']) await expect(processOf(pool, store).change(NEW, { link })).rejects.toThrow(LinkInvalid);
    expect([await fits(OLD), (await events()).length]).toEqual([true, 0]);
  });

  it('that was begun is given up when its account is gone', async () => {
    const crashable = new CrashableProcess();
    const dying = processOf(pool, crashable.store(store));
    crashable.killAt(2, 'before');
    await expect(dying.change(NEW)).rejects.toThrow(ProcessKilled);
    expect(await rows('password_changes')).toBe(1);
    const { runner, settle, change } = processOf(pool, store);
    await runner.run(accountTarget(userId), systemContext(actor, Date.now()), erase);
    expect(await settle()).toBe('account not found');
    expect([await rows('password_changes'), await fits(NEW)]).toEqual([0, false]);
    await expect(change(NEW)).rejects.toThrow(AccountNotFound);
  });
});
