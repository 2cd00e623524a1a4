import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createObservationDatabase, type ObservationDatabase } from '../../../test/support/database.ts';
import { sampleAt } from '../../../test/support/observations/sample.ts';
import { migrateObservations } from '../postgres/migrations/observation-migrations.ts';
import { ClosedBooks } from './closed-days/closed-books.ts';
import { exchangeHash, ExchangeStore } from './exchanges/exchange-store.ts';
import { ObservationFences, reachObservations } from './fences.ts';
import { FormHtmlStore } from './forms/form-html-store.ts';
import { InspectionStore } from './inspections/inspection-store.ts';
import { DayPartitions } from './packs/day-partitions.ts';
import { PackCompactor } from './packs/pack-compactor.ts';
import { type AnswerHead, KeptAnswers } from './pages/kept-answers.ts';
import { KeptPages, pageHash } from './pages/kept-pages.ts';
import type { PageBodies } from './pages/page-bodies.ts';
import { applyRetention, deleteOrphans } from './retention.ts';
import { PostgresRuns } from './runs/postgres-runs.ts';
import { runKind } from './runs/run.codec.ts';
import { run } from './runs/runs.contract.ts';
import { PostgresSamples, sampleKind } from './samples/postgres-samples.ts';
import { type ObservationPool, ObservationSchemas, schemasOf } from './schemas.ts';
import { shardNumberOf, shardOf } from './shards.ts';

const always = { pastMs: 1e12, futureMs: 1e12 };
const DAY = 86_400_000;
const NOON = Date.UTC(2026, 0, 15, 12);
/** One in each of the four schemas, and one more. */
const SITES = ['00', '04', '08', '0c', '10'].map((prefix) => prefix.padEnd(24, 'a'));
const AREA = 'd'.repeat(24);
const checkOf = (site: string): string => `bb${site.slice(2)}`.replace(/..$/, site.slice(0, 2));
const jobOf = (site: string): string => `cc${site.slice(2)}`.replace(/..$/, site.slice(0, 2));
const HEAD: AnswerHead = { url: 'http://a.test/', httpVersion: '1.1', statusText: 'OK', headers: [], redirectedBy: null, cut: false };
const existing = (ids: readonly string[]) => (): Promise<ReadonlySet<string>> => Promise.resolve(new Set(ids));

let database: ObservationDatabase;
let pool: ObservationPool;
beforeAll(async () => {
  database = await createObservationDatabase(4);
  ({ pool } = database);
  for (const site of SITES) await new ObservationFences(pool).raise({ name: shardOf('eu', site), epoch: 1 });
});
afterAll(() => database.drop());

/** The same pool, which notes the schemas that each statement names. */
function noting(noted: Set<string>[]): ObservationPool {
  const note = (statement: unknown): void => {
    const text = typeof statement === 'string' ? statement : (statement as { readonly text: string }).text;
    noted.push(new Set(text.match(/obs_\d\d/g)));
  };
  const over = <Target extends Pick<ObservationPool, 'query'>>(target: Target): Target =>
    new Proxy(target, {
      get: (of, name) => {
        const value: unknown = Reflect.get(of, name, of);
        if (name === 'query')
          return (...given: readonly unknown[]) => {
            note(given[0]);
            return Reflect.apply(of.query, of, given) as unknown;
          };
        if (name === 'connect') return async () => over(await (of as unknown as ObservationPool).connect());
        return typeof value === 'function' ? (value.bind(of) as unknown) : value;
      },
    });
  return over(pool);
}

const fenceOf = (site: string) => ({ name: shardOf('eu', site), epoch: 1 });
const schemaOf = (site: string) => schemasOf(pool).ofProject(site);
const countIn = async (site: string, table: string): Promise<number> =>
  (await pool.query(`SELECT FROM ${schemaOf(site).table(table)}`)).rowCount ?? 0;

describe('observations in four schemas', () => {
  it('confine each statement to one of them, and find what is stored', async () => {
    const noted: Set<string>[] = [];
    const db = noting(noted);
    const [samples, runs] = [new PostgresSamples(db, always), new PostgresRuns(db, always)];
    await reachObservations(db);
    const observed = SITES.map((projectId) => ({
      fence: fenceOf(projectId),
      observed: [{ projectId, item: run(0, { at: NOON, checkId: checkOf(projectId), jobId: jobOf(projectId) }) }],
    }));
    expect(
      (
        await samples.accept(
          observed.map((one) => ({ ...one, observed: one.observed.map(({ projectId }) => ({ projectId, item: sampleAt(NOON) })) })),
        )
      ).size,
    ).toBe(5);
    expect((await runs.accept(observed)).size).toBe(5);
    const [first = '', second = ''] = SITES;
    expect(
      await runs.accept([
        { fence: { name: shardOf('eu', first), epoch: 0 }, observed: observed[0]?.observed ?? [] },
        ...observed.slice(1, 2),
      ]),
    ).toEqual(new Set([shardOf('eu', second)]));
    expect(await new PackCompactor(db, sampleKind).compact(0)).toBe(5);
    // One of them was stored twice.
    expect(await new PackCompactor(db, runKind).compact(0)).toBe(6);
    for (const projectId of SITES) {
      expect(await samples.between(projectId, NOON, NOON + 1)).toEqual([sampleAt(NOON)]);
      expect((await samples.last(projectId, NOON + DAY))?.at).toBe(NOON);
      expect((await runs.between(projectId, NOON, NOON + 1)).length).toBe(1);
      expect((await runs.ofJob(projectId, jobOf(projectId))).length).toBe(1);
      expect((await runs.inJobs({ projectId, checkId: checkOf(projectId) }, [jobOf(projectId)])).length).toBe(1);
      expect((await runs.latestOf(projectId, 5)).length).toBe(1);
      expect(await runs.haveEnded(projectId, 'aa', null)).toBe(false);
      expect((await runs.lastOf(projectId, [checkOf(projectId)], NOON)).size).toBe(1);
    }
    expect((await runs.latest(SITES.map((projectId) => ({ projectId, checkId: checkOf(projectId) })))).size).toBe(5);
    const tail = await samples.tail(SITES, NOON);
    expect(SITES.map((site) => tail.between(site, NOON, NOON + 1).length)).toEqual([1, 1, 1, 1, 1]);

    const [pages, answers, exchanges] = [new KeptPages(db), new KeptAnswers(db), new ExchangeStore(db)];
    const [forms, looks, books] = [new FormHtmlStore(db), new InspectionStore(db), new ClosedBooks(db)];
    const body = Buffer.from('the same page of all sites');
    for (const projectId of SITES) {
      await answers.keep({ projectId, checkId: checkOf(projectId) }, NOON, { ...HEAD, body }, true);
      expect((await answers.lastPassing({ projectId, checkId: checkOf(projectId) }, NOON + 1))?.page).toBe(pageHash(body));
      expect((await answers.heads({ projectId, checkId: checkOf(projectId) }, NOON, NOON + 1)).length).toBe(1);
      const json = JSON.stringify({ reason: projectId });
      await exchanges.keep({ projectId, at: NOON, packed: { json, sha256: exchangeHash(json) }, body: null });
      expect(await exchanges.read(projectId, exchangeHash(json))).not.toBeNull();
      await forms.keep({ projectId, areaId: AREA, sha256: pageHash(body) }, NOON, { subject: 's', sealed: projectId });
      await looks.accept(fenceOf(projectId), { projectId, kind: 'redirect', at: NOON, url: 'http://a.test', finalUrl: null });
      expect(await books.open('2026-01-15', shardNumberOf(projectId))).toEqual([projectId]);
    }
    expect(await pages.verify()).toEqual({ pages: 4, wrong: null });
    expect(await exchanges.verify()).toEqual({ exchanges: 5, wrong: null });
    expect((await forms.read(SITES.slice(0, 4).map((projectId) => ({ projectId, areaId: AREA, sha256: pageHash(body) })))).size).toBe(1);
    expect((await looks.latest('redirect', SITES)).size).toBe(5);
    await books.mark(
      '2026-01-15',
      SITES.map((projectId) => ({ projectId, sha256: 'aa', buckets: Buffer.alloc(0) })),
    );
    expect(await books.open('2026-01-15', shardNumberOf(first))).toEqual([]);
    await forms.forget(first, AREA);
    expect(await Promise.all(SITES.slice(0, 4).map((site) => countIn(site, 'form_html')))).toEqual([0, 1, 1, 1]);

    await applyRetention(db, { days: 90, keptBytes: 2 ** 20 }, NOON);
    await deleteOrphans(db, { checks: existing([]), projects: existing(SITES) }, NOON);
    expect(noted.filter((names) => names.size > 1)).toEqual([]);
    expect(noted.filter((names) => names.size === 1).length).toBeGreaterThan(150);
  });

  it('keep the partition of a day as long as one of its books is open, and the day as long as a partition', async () => {
    const partitions = new DayPartitions(pool, 'sample');
    expect(await partitions.days()).toEqual(['2026-01-15']);
    const [first = '', second = ''] = SITES;
    await pool.query(`DELETE FROM ${schemaOf(second).table('closed_book')}`);
    expect(await partitions.drop('2026-01-15')).toBe('books open');
    expect([await countIn(second, 'sample_hour'), await partitions.days()]).toEqual([1, ['2026-01-15']]);
    await new ClosedBooks(pool).mark('2026-01-15', [{ projectId: second, sha256: 'aa', buckets: Buffer.alloc(0) }]);
    expect(await partitions.drop('2026-01-15')).toBe('dropped');
    expect([await countIn(first, 'sample_hour'), await partitions.days(), await partitions.drop('2026-01-15')]).toEqual([0, [], 'absent']);
  });

  it('delete the object of a page with its last row, where those of two schemas share it', async () => {
    const objects = new Map<string, Buffer>();
    const bodies: PageBodies = {
      put: (name, bytes) => Promise.resolve(void objects.set(name, Buffer.from(bytes))),
      get: (name) => Promise.resolve(objects.get(name) ?? null),
      delete: (name) => Promise.resolve(void objects.delete(name)),
    };
    const pages = new KeptPages(pool, bodies, 0);
    const [first = '', second = ''] = SITES;
    await database.truncate('kept_page', 'page_body_orphan');
    await pages.keep(first, Buffer.from('shared'));
    await pool.query(`INSERT INTO ${schemaOf(second).table('kept_page')} SELECT * FROM ${schemaOf(first).table('kept_page')}`);
    for (const [site, left] of [
      [first, 1],
      [second, 0],
    ] as const) {
      await pool.query(`UPDATE ${schemaOf(site).table('kept_page')} SET kept_at = now() - interval '100 days'`);
      expect(await pages.trim(1e9, 90)).toEqual({ deleted: 1, evicted: 0 });
      expect([await pages.deleteOrphans(), objects.size]).toEqual([1, left]);
    }
  });

  it('are found again with the same number of schemas only', async () => {
    expect(await migrateObservations(database.url, new ObservationSchemas(4))).toEqual([]);
    for (const count of [1, 8])
      await expect(migrateObservations(database.url, new ObservationSchemas(count))).rejects.toThrow(
        `OBSERVATION_SCHEMAS=${String(count)}: the database of observations was created with 4`,
      );
  });
});
