import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { LocalWake } from '../../postgres/wake.ts';
import { streamOf } from '../contract/support.contract.ts';
import { LogDamaged } from '../lazy-event.ts';
import { PostgresEventStore, StreamBeginnings } from './postgres-event-store.ts';

let database: TestDatabase;
let store: PostgresEventStore;

beforeAll(async () => {
  database = await createTestDatabase();
  store = new PostgresEventStore(database.pool, new LocalWake());
});

afterAll(() => database.drop());

it('reads streams that are asked for at once in few statements', async () => {
  const beginnings = new StreamBeginnings(database.pool);
  const streams = await Promise.all(Array.from({ length: 20 }, () => streamOf(store, 3)));
  const queries = jest.spyOn(database.pool, 'query');
  const pages = await Promise.all(streams.map((stream) => beginnings.read(stream)));
  expect(pages.map((page) => page.map(({ stream, revision }) => `${stream} ${String(revision)}`))).toEqual(
    streams.map((stream) => [0, 1, 2].map((revision) => `${stream} ${String(revision)}`)),
  );
  expect(queries).toHaveBeenCalledTimes(2);
  queries.mockRestore();
});

it('fails for a damaged stream alone', async () => {
  const beginnings = new StreamBeginnings(database.pool);
  const [whole, damaged] = [await streamOf(store, 2), await streamOf(store, 2)];
  await database.pool.query(`UPDATE log SET data = '{"a": ' WHERE stream = $1 AND revision = 1`, [damaged]);
  const [page, failure] = await Promise.allSettled([beginnings.read(whole), beginnings.read(damaged)]);
  expect(page).toMatchObject({ status: 'fulfilled', value: [{ revision: 0 }, { revision: 1 }] });
  expect(failure).toMatchObject({ status: 'rejected', reason: expect.any(LogDamaged) });
});
