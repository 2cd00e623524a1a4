import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { ScopeUses } from './token-uses.ts';
import { TokenStore } from './token-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const today = () => new Date().toISOString().slice(0, 10);

/** Counts the statements, and fails them while it is away. */
function counted() {
  const sent: string[] = [];
  const state = { isAway: false };
  const query = (...args: Parameters<typeof database.pool.query>) => {
    sent.push(JSON.stringify(args[0]).slice(0, 40));
    return state.isAway ? Promise.reject(new Error('away')) : database.pool.query(...args);
  };
  return { uses: new ScopeUses({ query } as unknown as typeof database.pool), sent, state };
}

it('writes one row per token, scope and day in one statement, over all instances', async () => {
  const [one, other] = [counted(), counted()];
  for (let n = 0; n < 1_000; n++) {
    one.uses.record('a', 'read');
    one.uses.record('a', n % 2 === 0 ? 'run' : 'edit');
    other.uses.record('a', 'read');
  }
  await Promise.all([one.uses.flush(), other.uses.flush()]);
  one.uses.record('a', 'read');
  await one.uses.flush();
  expect([one.sent.length, other.sent.length]).toEqual([1, 1]);
  const used = { days: 1, lastDay: today() };
  expect((await one.uses.ofToken('a')).toSorted((left, right) => (left.scope < right.scope ? -1 : 1))).toEqual(
    ['edit', 'read', 'run'].map((scope) => ({ scope, ...used })),
  );
  expect(await one.uses.ofToken('b')).toEqual([]);
});

it('keeps what could not be written, and loses nothing when the database is back', async () => {
  const { uses, state } = counted();
  state.isAway = true;
  uses.record('c', 'read');
  await uses.flush();
  uses.record('c', 'run');
  await uses.flush();
  state.isAway = false;
  expect(await uses.ofToken('c')).toHaveLength(2);
});

it('forgets days that are over 90 days ago and tokens that have ended', async () => {
  const { uses } = counted();
  const issuedAt = new Date();
  await new TokenStore(database.pool).add(
    { tokenId: 'd', userId: 1, kind: 'personal', issuedAt, expiresAt: new Date(Date.now() + 3_600_000) },
    null,
  );
  for (const token of ['d', 'ended']) uses.record(token, 'read');
  await uses.flush();
  await database.pool.query(
    `INSERT INTO token_scope_use VALUES ('d', 'edit', (now() AT TIME ZONE 'UTC')::date - 90), ('d', 'run', (now() AT TIME ZONE 'UTC')::date - 89)`,
  );
  const scopes = async () => (await uses.ofToken('d')).map(({ scope }) => scope).toSorted();
  expect(await scopes()).toEqual(['read', 'run']);
  await uses.forgetOld();
  const { rows } = await database.pool.query<{ token_id: string; scope: string }>(
    'SELECT token_id, scope FROM token_scope_use ORDER BY scope',
  );
  expect(rows).toEqual([
    { token_id: 'd', scope: 'read' },
    { token_id: 'd', scope: 'run' },
  ]);
});
