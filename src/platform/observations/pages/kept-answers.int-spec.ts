import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createObservationDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { type AnswerHead, KeptAnswers } from './kept-answers.ts';
import { KeptPages, pageHash } from './kept-pages.ts';

const [CHECK, OTHER, PROJECT] = ['aaaaaaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbbbbbb', 'cccccccccccccccccccccccc'];
const of = (checkId: string) => ({ projectId: PROJECT, checkId });
const AT = Date.UTC(2026, 2, 1, 12);
const head = (value: string): AnswerHead => ({
  url: 'https://example.com/shop',
  httpVersion: '1.1',
  statusText: 'OK',
  headers: [
    ['Content-Type', 'text/html; charset=utf-8'],
    ['X-Value', value],
  ],
  redirectedBy: { location: '/shop', to: 'https://example.com/shop' },
  cut: false,
});
const body = Buffer.from('<html>Grüße</html>');

let database: TestDatabase;
let answers: KeptAnswers;
beforeAll(async () => {
  database = await createObservationDatabase();
  answers = new KeptAnswers(database.pool);
});
afterAll(() => database.drop());
beforeEach(() => database.pool.query('TRUNCATE kept_page, kept_answer, latest_run'));

const places = async (checkId = CHECK) => (await answers.heads(of(checkId), 0, AT * 2)).map(({ at }) => at - AT);

describe('kept answers', () => {
  it('store a page once and a head per run', async () => {
    await answers.keep(of(CHECK), AT, { ...head('one'), body }, true);
    await answers.keep(of(CHECK), AT + 1, { ...head('two'), body }, true);
    await answers.keep(of(OTHER), AT, { ...head('other'), body }, true);
    await answers.keep(of(CHECK), AT, { ...head('said again'), body }, true);
    expect(await answers.heads(of(CHECK), AT, AT + 1)).toEqual([{ at: AT, page: pageHash(body), head: head('one') }]);
    expect(await places()).toEqual([0, 1]);
    const facts = { redirects: 1, certificate: { issuer: 'CA', names: ['a.test'], validTo: '2026-04-01T00:00:00.000Z', key: 'RSA 2048' } };
    await answers.keep(of(OTHER), AT + 1, { ...head('with facts'), ...facts, body }, true);
    expect((await answers.heads(of(OTHER), AT + 1, AT + 2))[0]?.head).toEqual({ ...head('with facts'), ...facts });
    expect(await answers.page(PROJECT, pageHash(body))).toEqual(body);
    expect((await database.pool.query('SELECT FROM kept_page')).rowCount).toBe(1);
  });

  it('are gathered into three statements when they are not urgent, however many there are', async () => {
    const statements: string[] = [];
    const query = (text: string | { readonly text: string }, ...rest: unknown[]): unknown => {
      statements.push(typeof text === 'string' ? text : text.text);
      return (database.pool.query as (...given: unknown[]) => unknown).call(database.pool, text, ...rest);
    };
    const gathering = new KeptAnswers({ query } as Pick<TestDatabase['pool'], 'query'>);
    const pages = Array.from({ length: 20 }, (_, nth) => Buffer.from(`<html>${String(nth % 10)}</html>`));
    await Promise.all(pages.map((page, nth) => gathering.keep(of(CHECK), AT + nth, { ...head(String(nth)), body: page }, true, false)));
    // They are asked for, kept, and named by their heads.
    expect(statements).toHaveLength(3);
    expect((await answers.heads(of(CHECK), AT, AT * 2)).map(({ page }) => page)).toEqual(pages.map(pageHash));
    expect((await database.pool.query('SELECT FROM kept_page')).rowCount).toBe(10);
  });

  it('lead to the last one that passed and whose page is kept', async () => {
    const pages = ['old', 'passing', 'failing'].map((text) => Buffer.from(text));
    for (const [nth, page] of pages.entries()) await answers.keep(of(CHECK), AT + nth, { ...head(String(nth)), body: page }, nth < 2);
    const lastBefore = async (at: number): Promise<number | undefined> => (await answers.lastPassing(of(CHECK), at))?.at;
    expect([await lastBefore(AT + 9), await lastBefore(AT + 1), await lastBefore(AT)]).toEqual([AT + 1, AT, undefined]);
    await database.pool.query('DELETE FROM kept_page WHERE sha256 = $1', [Buffer.from(pageHash(pages[1]!), 'hex')]);
    expect(await lastBefore(AT + 9)).toBe(AT);
  });

  it('of one project do not displace those of another, nor do their pages', async () => {
    const [ofSmall, ofGreedy] = ['11', '22'].map((two) => Buffer.from(two.repeat(12), 'hex'));
    const insert = 'INSERT INTO latest_run (check_id, project_id, at, whole) VALUES ($1, $2, 0, $3)';
    await database.pool.query(insert, [Buffer.from(CHECK, 'hex'), ofSmall, Buffer.alloc(0)]);
    await database.pool.query(insert, [Buffer.from(OTHER, 'hex'), ofGreedy, Buffer.alloc(0)]);
    const shared = randomBytes(10_000);
    const own = [shared, randomBytes(10_000)];
    const noise = [shared, ...Array.from({ length: 8 }, () => randomBytes(10_000))];
    for (const [nth, page] of own.entries()) await answers.keep(of(CHECK), AT + nth, { ...head(String(nth)), body: page }, true);
    for (const [nth, page] of noise.entries()) await answers.keep(of(OTHER), AT + 10 + nth, { ...head(String(nth)), body: page }, true);
    const pages = new KeptPages(database.pool);
    expect(await pages.trim(200_000, 90)).toEqual({ deleted: 0, evicted: 0 });
    // The greedy project keeps its newest pages in what the small one leaves.
    expect(await pages.trim(52_000, 90)).toEqual({ deleted: 5, evicted: 5 });
    const left = async (of: readonly Buffer[]) =>
      (await Promise.all(of.map((page) => answers.page(PROJECT, pageHash(page))))).map((page) => page !== null);
    expect(await left(own)).toEqual([true, true]);
    expect(await left(noise.slice(1))).toEqual([false, false, false, false, false, true, true, true]);
    const { rows } = await database.pool.query<{ size: number }>('SELECT sum(octet_length(head))::int AS size FROM kept_answer');
    expect(await answers.trim((rows[0]?.size ?? 0) / 2, 0)).toBeGreaterThan(4);
    expect(await places(CHECK)).toEqual([0, 1]);
    expect((await places(OTHER)).at(-1)).toBe(18);
  });

  it('are trimmed by age and by budget, oldest first', async () => {
    for (const minute of [0, 1, 2, 3]) await answers.keep(of(CHECK), AT + minute, { ...head(String(minute)), body }, true);
    const { rows } = await database.pool.query<{ size: string }>('SELECT max(octet_length(head)) AS size FROM kept_answer');
    expect(await answers.trim(1e9, AT + 1)).toBe(1);
    expect(await places()).toEqual([1, 2, 3]);
    expect(await answers.trim(Number(rows[0]?.size) * 2, 0)).toBe(1);
    expect(await places()).toEqual([2, 3]);
    expect(await answers.trim(0, 0)).toBe(2);
    expect(await answers.trim(0, 0)).toBe(0);
  });
});
