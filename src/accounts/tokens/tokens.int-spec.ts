import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import pg from 'pg';
import { until } from '../../../test/support/until.ts';
import { LinkStore } from './link-store.ts';
import { TokenUses } from './token-uses.ts';
import { TokenStore } from './token-store.ts';
import { TryStore } from './try-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const inAnHour = (): Date => new Date(Date.now() + 3_600_000);
const token = (tokenId: string, expiresAt = inAnHour()) =>
  ({ tokenId, userId: 1, kind: 'personal', issuedAt: new Date('2026-01-01T00:00:00Z'), expiresAt }) as const;

describe('tokens', () => {
  it('are valid until they are revoked or expire', async () => {
    const tokens = new TokenStore(database.pool);
    await tokens.add(token('a'), null);
    await tokens.add(token('b', new Date(Date.now() - 1)), null);
    expect(await tokens.use('a')).toEqual({
      userId: 1,
      kind: 'personal',
      projectId: null,
      confirmedAt: null,
      secondFactor: null,
      isSession: false,
    });
    expect(await tokens.use('b')).toBeNull();
    await tokens.revoke(2, 'a');
    expect(await tokens.use('a')).not.toBeNull();
    await tokens.revoke(1, 'a');
    expect(await tokens.use('a')).toBeNull();
  });

  it('of a login are not revoked one by one', async () => {
    const tokens = new TokenStore(database.pool);
    await tokens.add({ ...token('login'), kind: 'login' }, null);
    await tokens.revoke(1, 'login');
    expect(await tokens.use('login')).toEqual({
      userId: 1,
      kind: 'login',
      projectId: null,
      confirmedAt: new Date('2026-01-01T00:00:00Z'),
      secondFactor: null,
      isSession: false,
    });
    await tokens.revokeAll(1);
    expect(await tokens.use('login')).toBeNull();
  });

  it('record their last use', async () => {
    const tokens = new TokenStore(database.pool);
    await tokens.add(token('c'), null);
    expect((await tokens.lastUses(1)).has('c')).toBe(false);
    const seal = (subject: string, text: string) => Promise.resolve({ subject, sealed: `sealed ${text}` });
    const uses = new TokenUses(database.pool, { seal });
    uses.record({ subject: 'account-1', tokenId: 'c' }, '192.0.2.1');
    uses.record({ subject: 'account-1', tokenId: 'c' }, '192.0.2.2');
    await until(async () => (await tokens.lastUses(1)).has('c'), 5_000);
    expect((await tokens.lastUses(1)).get('c')).toEqual({ lastUsedAt: expect.any(Date), lastUsedFrom: 'sealed 192.0.2.1' });
  });

  it('are valid while the database only reads, where their use cannot be recorded', async () => {
    await new TokenStore(database.pool).add(token('standby'), null);
    const standby = new pg.Pool({ connectionString: database.url, max: 1, options: '-c default_transaction_read_only=on' });
    try {
      expect(await new TokenStore(standby).use('standby')).toEqual({
        userId: 1,
        kind: 'personal',
        projectId: null,
        confirmedAt: null,
        secondFactor: null,
        isSession: false,
      });
    } finally {
      await standby.end();
    }
  });

  it('are not issued for a password that was changed in between', async () => {
    const tokens = new TokenStore(database.pool);
    await database.pool.query(`INSERT INTO passwords (user_id, hash) VALUES (1, 'new')`);
    expect(await tokens.add(token('d'), 'old')).toBe(false);
    expect(await tokens.use('d')).toBeNull();
    expect(await tokens.add(token('d'), 'new')).toBe(true);
    expect(await tokens.add(token('d'), 'new')).toBe(true);
    expect(await tokens.use('d')).not.toBeNull();
  });

  it('are revoked by a concurrent password change', async () => {
    const tokens = new TokenStore(database.pool);
    for (let round = 0; round < 20; round++) {
      const [before, after] = [`hash ${String(round)}`, `hash ${String(round + 1)}`];
      await database.pool.query(`INSERT INTO passwords VALUES (8, $1) ON CONFLICT (user_id) DO UPDATE SET hash = $1`, [before]);
      const change = async (): Promise<void> => {
        await database.pool.query('UPDATE passwords SET hash = $1 WHERE user_id = 8', [after]);
        await tokens.revokeAll(8);
      };
      await Promise.all([tokens.add({ ...token(`race ${String(round)}`), userId: 8 }, before), change()]);
      const { rowCount } = await database.pool.query('SELECT 1 FROM tokens WHERE user_id = 8');
      expect(rowCount).toBe(0);
    }
  });
});

describe('links', () => {
  it('are valid until they are used or expire', async () => {
    const links = new LinkStore(database.pool);
    const made = await links.create(5, 'password', inAnHour());
    expect(await links.find(made)).toEqual({ userId: 5, purpose: 'password', address: null });
    await links.forgetAll(5);
    expect(await links.find(made)).toBeNull();
    expect(await links.find(await links.create(5, 'confirm', new Date(Date.now() - 1)))).toBeNull();
    expect(await links.find('made up')).toBeNull();
  });

  it('sign in once, of several requests at the same time', async () => {
    const links = new LinkStore(database.pool);
    const made = await links.create(7, 'sign-in', inAnHour());
    expect(await links.useToSignIn(await links.create(7, 'password', inAnHour()))).toBe(false);
    expect(await links.useToSignIn(await links.create(7, 'sign-in', new Date(Date.now() - 1)))).toBe(false);
    const used = await Promise.all([1, 2, 3].map(() => links.useToSignIn(made)));
    expect(used.filter((isUsed) => isUsed)).toHaveLength(1);
  });

  it('of the first account are renewed until one of them is used, which ends all of them', async () => {
    const links = new LinkStore(database.pool);
    expect(await links.unusedFirst()).toBeNull();
    const expired = await links.createFirst(1, new Date(Date.now() - 1));
    await links.forgetExpired();
    expect([await links.unusedFirst(), await links.useToSignIn(expired)]).toEqual([1, false]);
    const [one, other, plain] = [
      await links.createFirst(1, inAnHour()),
      await links.createFirst(1, inAnHour()),
      await links.create(1, 'sign-in', inAnHour()),
    ];
    expect(await links.useToSignIn(plain)).toBe(true);
    expect(await links.unusedFirst()).toBe(1);
    const used = await Promise.all([links.useToSignIn(one), links.useToSignIn(other)]);
    expect(used.filter((isUsed) => isUsed)).toHaveLength(1);
    expect(await links.unusedFirst()).toBeNull();
  });

  it('are stored without their token', async () => {
    const made = await new LinkStore(database.pool).create(6, 'confirm', inAnHour());
    const { rows } = await database.pool.query('SELECT * FROM links WHERE user_id = 6');
    expect(JSON.stringify(rows)).not.toContain(made);
  });
});

describe('failed attempts', () => {
  it('do not exceed the limit when they are concurrent', async () => {
    const [one, other] = [new TryStore(database.pool, 900), new TryStore(database.pool, 900)];
    const taken = await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : other).recordAttempt('at once', 3)));
    expect(taken.filter((within) => within)).toHaveLength(3);
    expect(await one.secondsToWait(new Map([['at once', 3]]))).toBeGreaterThan(600);
  });

  it('are counted over all instances, with the time to wait', async () => {
    const [one, other] = [new TryStore(database.pool, 900), new TryStore(database.pool, 900)];
    const limits = new Map([['k', 4]]);
    await Promise.all([one.recordFailure(['k']), other.recordFailure(['k', 'l']), one.recordFailure(['k'])]);
    expect(await one.secondsToWait(limits)).toBe(0);
    await other.recordFailure(['k']);
    expect(await one.secondsToWait(limits)).toBeGreaterThan(600);
    expect(await one.secondsToWait(new Map([['l', 4]]))).toBe(0);
  });

  it('are discarded when their window ends', async () => {
    const tries = new TryStore(database.pool, 900);
    await tries.recordFailure(['m']);
    await database.pool.query(`UPDATE tries SET since = now() - interval '901 seconds' WHERE key = 'm'`);
    expect(await tries.secondsToWait(new Map([['m', 1]]))).toBe(0);
    await tries.recordFailure(['m']);
    expect(await tries.secondsToWait(new Map([['m', 2]]))).toBe(0);
  });
});
