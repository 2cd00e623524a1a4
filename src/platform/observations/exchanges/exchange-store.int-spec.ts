import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createObservationDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { KeptPages, pageHash } from '../pages/kept-pages.ts';
import { ExchangeStore, exchangeHash, type NewExchange } from './exchange-store.ts';

const [PROJECT, OTHER] = ['11'.repeat(12), '22'.repeat(12)];
const AT = Date.UTC(2026, 2, 1);
const body = Buffer.from('<p>Grüße</p>');

let database: TestDatabase;
let store: ExchangeStore;
beforeAll(async () => {
  database = await createObservationDatabase();
  store = new ExchangeStore(database.pool);
});
afterAll(() => database.drop());
beforeEach(() => database.pool.query('TRUNCATE kept_page, kept_exchange, kept_answer, latest_run'));

function exchange(text: string, given: Partial<NewExchange> = {}): NewExchange {
  const json = JSON.stringify({ reason: text });
  return { projectId: PROJECT, at: AT, packed: { json, sha256: exchangeHash(json) }, body: null, ...given };
}
const isKept = async ({ projectId, packed }: NewExchange): Promise<boolean> => (await store.read(projectId, packed.sha256)) !== null;

describe('kept exchanges', () => {
  it('are read by project and hash, with the page that was kept with them', async () => {
    const one = exchange('refused', { body });
    await store.keep(one);
    await store.keep(one);
    const { json, sha256 } = one.packed;
    expect(await store.read(PROJECT, sha256)).toEqual({ exchange: { reason: 'refused' }, json, page: pageHash(body) });
    expect(await new KeptPages(database.pool).read(PROJECT, pageHash(body))).toEqual(body);
    expect(await store.read(OTHER, sha256)).toBeNull();
    expect(await store.read(PROJECT, 'ab'.repeat(32))).toBeNull();
  });

  it('are not read once they were changed', async () => {
    const [one, two] = [exchange('refused'), exchange('something else')];
    await Promise.all([store.keep(one), store.keep(two)]);
    await database.pool.query('UPDATE kept_exchange SET packed = (SELECT packed FROM kept_exchange WHERE sha256 = $1) WHERE sha256 = $2', [
      Buffer.from(two.packed.sha256, 'hex'),
      Buffer.from(one.packed.sha256, 'hex'),
    ]);
    expect([await isKept(one), await isKept(two)]).toEqual([false, true]);
  });

  it('end with the retention, and beyond the budget with the oldest of the project that uses the most', async () => {
    const text = (): string => randomBytes(2_000).toString('hex');
    const old = exchange(text(), { at: AT - 1_000 });
    const own = exchange(text());
    const greedy = Array.from({ length: 5 }, (_, nth) => exchange(text(), { projectId: OTHER, at: AT + nth }));
    for (const one of [old, own, ...greedy]) await store.keep(one);
    expect(await store.trim(1_000_000, AT)).toBe(1);
    expect(await store.trim(8_000, AT)).toBe(3);
    expect(await Promise.all([old, own, ...greedy].map(isKept))).toEqual([false, true, false, false, false, true, true]);
  });

  it('make their project an owner of the page', async () => {
    await store.keep(exchange('own', { body: randomBytes(10_000) }));
    for (let nth = 0; nth < 4; nth++) await store.keep(exchange(String(nth), { projectId: OTHER, body: randomBytes(10_000) }));
    const pages = new KeptPages(database.pool);
    expect(await pages.trim(31_000, 90)).toEqual({ deleted: 2, evicted: 2 });
    const { rows } = await database.pool.query(
      'SELECT FROM kept_exchange JOIN kept_page ON page = kept_page.sha256 WHERE project_id = $1',
      [Buffer.from(PROJECT, 'hex')],
    );
    expect(rows).toHaveLength(1);
  });
});
