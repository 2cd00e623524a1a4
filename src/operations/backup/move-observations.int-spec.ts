import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { sampleAt } from '../../../test/support/observations/sample.ts';
import { ObservationFences } from '../../platform/observations/fences.ts';
import { PackCompactor } from '../../platform/observations/packs/pack-compactor.ts';
import { flushRows } from '../../platform/observations/packs/flush.codec.ts';
import { KeptAnswers } from '../../platform/observations/pages/kept-answers.ts';
import { KeptPages, pageHash } from '../../platform/observations/pages/kept-pages.ts';
import { PostgresRuns } from '../../platform/observations/runs/postgres-runs.ts';
import { run } from '../../platform/observations/runs/runs.contract.ts';
import { PostgresSamples, sampleKind } from '../../platform/observations/samples/postgres-samples.ts';
import { type ObservationPool, ObservationSchemas } from '../../platform/observations/schemas.ts';
import { moveObservations, type MoveOrder } from './move-observations.ts';

const SITES = ['01', '7f', 'ff'].map((prefix) => prefix.padEnd(24, '0'));
const DAY = 86_400_000;
const [CHECK, OTHER, UNKNOWN, JOB] = ['a', 'b', 'c', 'd'].map((digit) => digit.repeat(24)) as [string, string, string, string];
const FENCE = { name: 'checker eu 0/64', epoch: 1 };

let log: TestDatabase;
let apart: TestDatabase;
let now: number;
beforeEach(async () => {
  [log, apart] = await Promise.all([createTestDatabase(), createEmptyDatabase()]);
  now = Date.now();
  await new ObservationFences(log.pool).raise(FENCE);
});
afterEach(() => Promise.all([log.drop(), apart.drop()]));

const orderOf = (given: Partial<MoveOrder> = {}): MoveOrder => ({
  from: { url: log.url, hasLog: true },
  to: { url: apart.url, hasLog: false },
  movedTo: 'there/w',
  installation: 'here',
  signal: new AbortController().signal,
  progress: () => undefined,
  whenPaused: () => Promise.resolve(),
  ...given,
});

/** As a checker stores it now. */
const store = (at: number) =>
  new PostgresSamples(log.pool).accept([{ fence: FENCE, observed: SITES.map((projectId) => ({ projectId, item: sampleAt(at) })) }]);

/** Days that are over, the current hour, and what is not compacted yet. */
async function fillLog(): Promise<void> {
  const compactor = new PackCompactor(log.pool, sampleKind);
  for (const id of SITES)
    for (const days of [40, 2, 1]) await compactor.write(id, [sampleAt(now - days * DAY), sampleAt(now - days * DAY + 60_000)]);
  await store(now - 30_000);
  await compactor.compact(0);
  await store(now - 20_000);
  await new KeptPages(log.pool).keep(SITES[0] ?? '', Buffer.from('a page'));
}

const all = async ({ pool }: TestDatabase): Promise<readonly unknown[]> =>
  Promise.all(SITES.map((id) => new PostgresSamples(pool).between(id, now - 100 * DAY, now + DAY)));
const mark = async () => (await log.pool.query<{ moved_to: string; done: boolean }>('SELECT moved_to, done FROM observations_moved')).rows;

describe('moving the observations', () => {
  it('carries every one over, those that checkers store meanwhile included, and leaves a mark', async () => {
    await fillLog();
    const during: unknown[] = [];
    const whenPaused = async (): Promise<void> => {
      during.push(...(await mark()));
      // The last of a checker before it released its shards, and a compaction that is still under way.
      await store(now - 10_000);
      await new PackCompactor(log.pool, sampleKind).compact(0);
      await store(now - 5_000);
    };
    const moved = await moveObservations(orderOf({ whenPaused }));
    expect(moved.rows).toMatchObject({ kept_page: 3 });
    expect(await store(now - 1_000)).toEqual(new Set());
    expect(during).toEqual([{ moved_to: '', done: false }]);
    expect(await mark()).toEqual([{ moved_to: 'there/w', done: true }]);
    expect(await all(apart)).toEqual(await all(log));
    expect((await all(apart)).flat()).toHaveLength(SITES.length * 10);
    expect(await new KeptPages(apart.pool).verify()).toEqual({ pages: 1, wrong: null });
    for (const { pool } of [apart, log]) await new PackCompactor(pool, sampleKind).compact(0);
    expect(await all(apart)).toEqual(await all(log));
  });

  it('misses nothing that a dead checker left uncompacted, whenever it is compacted, nor a day that is closed late', async () => {
    await fillLog();
    const left = now - 30 * 3_600_000;
    for (const row of flushRows(sampleKind, [{ projectId: SITES[0] ?? '', item: sampleAt(left) }]))
      await log.pool.query(
        'INSERT INTO sample_flush (slot, first_at, last_at, packed, ids, flushed_at) VALUES ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0))',
        [row.slot, row.firstAt, row.lastAt, row.packed, row.ids, left],
      );
    const whenPaused = async (): Promise<void> => {
      await new PackCompactor(log.pool, sampleKind).compact(0);
      await log.pool.query(`INSERT INTO page_body_orphan (name) VALUES ('ab/left')`);
      await log.pool.query(`INSERT INTO closed_book (project_id, day, sha256) VALUES ('\\x01', '2026-01-01', '\\x02')`);
    };
    await moveObservations(orderOf({ whenPaused }));
    expect(await all(apart)).toEqual(await all(log));
    expect((await new PostgresSamples(apart.pool).between(SITES[0] ?? '', left, left + 1)).length).toBe(1);
    expect((await apart.pool.query('SELECT FROM closed_book, page_body_orphan')).rowCount).toBe(1);
  });

  it('happens once at a time', async () => {
    const second = moveObservations(orderOf({ whenPaused: () => expect(moveObservations(orderOf())).rejects.toThrow('another move') }));
    await expect(second).resolves.toMatchObject({ pausedMs: expect.any(Number) });
  });

  it('goes on where it was interrupted, and lets the checkers go on meanwhile', async () => {
    await fillLog();
    const failing = (): Promise<void> => Promise.reject(new Error('interrupted'));
    await expect(moveObservations(orderOf({ whenPaused: failing }))).rejects.toThrow('interrupted');
    expect(await mark()).toEqual([{ moved_to: '', done: true }]);
    await store(now - 5_000);
    const days: string[] = [];
    await moveObservations(orderOf({ progress: (what, rows) => rows > 0 && what === 'sample_hour' && days.push(what) }));
    expect(await all(apart)).toEqual(await all(log));
    // The days that are over were complete: those of today and yesterday at most are copied again.
    expect(days.length).toBeLessThanOrEqual(6);
  });

  it('brings them back, with what was stored in between', async () => {
    await fillLog();
    await moveObservations(orderOf());
    await new ObservationFences(apart.pool).raise(FENCE);
    const samples = new PostgresSamples(apart.pool);
    await samples.accept([{ fence: FENCE, observed: [{ projectId: SITES[0] ?? '', item: sampleAt(now - 1_000) }] }]);
    await moveObservations(orderOf({ from: { url: apart.url, hasLog: false }, to: { url: log.url, hasLog: true }, movedTo: '' }));
    expect(await mark()).toEqual([{ moved_to: '', done: true }]);
    expect(await all(log)).toEqual(await all(apart));
    expect((await all(log)).flat()).toHaveLength(SITES.length * 8 + 1);
  });

  it('spreads them over schemas, with what is found by a check or a page, and gathers them again', async () => {
    await fillLog();
    const schemas = new ObservationSchemas(4);
    const spread = Object.assign(apart.pool, { schemas });
    const [one = '', other = ''] = SITES;
    const runs = new PostgresRuns(log.pool, { pastMs: 1e12, futureMs: 1e12 });
    const made = (projectId: string, checkId: string, changes: object) => ({
      projectId,
      item: run(0, { checkId, jobId: JOB, ...changes }),
    });
    await runs.accept([
      { fence: FENCE, observed: [made(one, CHECK, {}), made(other, OTHER, {}), made(other, UNKNOWN, { latest: false })] },
    ]);
    const head = { url: 'http://a.test', httpVersion: '1.1', statusText: '', headers: [], redirectedBy: null, cut: false };
    const body = Buffer.from('one page of two sites');
    await new KeptAnswers(log.pool).keep({ projectId: one, checkId: CHECK }, now, { ...head, body }, true);
    await new KeptAnswers(log.pool).keep({ projectId: other, checkId: OTHER }, now, { ...head, body }, true);

    await moveObservations(orderOf({ to: { url: apart.url, hasLog: false, schemas } }));
    const samplesIn = (pool: ObservationPool) =>
      Promise.all(SITES.map((id) => new PostgresSamples(pool).between(id, now - 100 * DAY, now + DAY)));
    expect(await samplesIn(spread)).toEqual(await all(log));
    const moved = new PostgresRuns(spread);
    expect((await moved.ofJob(one, JOB)).map(({ checkId }) => checkId)).toContain(CHECK);
    expect((await moved.ofJob(other, JOB)).map(({ checkId }) => checkId).sort()).toEqual([OTHER, UNKNOWN].sort());
    expect((await new KeptAnswers(spread).lastPassing({ projectId: other, checkId: OTHER }, now + 1))?.page).toBe(pageHash(body));
    expect(await new KeptPages(spread).read(one, pageHash(body))).toEqual(body);
    const held = await Promise.all(
      schemas.all.map(async (schema) => (await spread.query(`SELECT FROM ${schema.table('latest_run')}`)).rowCount),
    );
    expect(held).toEqual([1, 0, 0, 1]);

    const back = { from: { url: apart.url, hasLog: false, schemas }, to: { url: log.url, hasLog: true }, movedTo: '' };
    await log.pool.query('TRUNCATE sample_flush, sample_hour, run_flush, latest_run, job_run, kept_answer, kept_page');
    await moveObservations(orderOf(back));
    expect(await all(log)).toEqual(await samplesIn(spread));
    expect((await new PostgresRuns(log.pool).ofJob(other, JOB)).length).toBe(3);
    expect(await new KeptPages(log.pool).verify()).toEqual({ pages: 2, wrong: null });
  });

  it('refuses the database of the log, under whatever name', async () => {
    await fillLog();
    const here = { url: log.url.replace('127.0.0.1', 'localhost'), hasLog: false };
    await expect(moveObservations(orderOf({ to: here }))).rejects.toThrow('holds the log of an installation');
    await expect(moveObservations(orderOf({ from: here, to: { url: log.url, hasLog: true } }))).rejects.toThrow('holds the log');
    expect((await all(log)).flat()).toHaveLength(SITES.length * 8);
  });

  it('refuses a database with the observations of another installation', async () => {
    await moveObservations(orderOf({ installation: 'elsewhere' }));
    await expect(moveObservations(orderOf())).rejects.toThrow('another installation');
  });
});
