import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createObservationDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { applyRetention, deleteOrphans, type ExistenceQueries } from './retention.ts';
import { idBytes, idText } from './packs/pack-kind.ts';

const DAY = 86_400_000;
const NOW = Date.parse('2026-06-01T12:00:00Z');
const id = (n: number): string => n.toString(16).padStart(24, '0');
const [PROJECT, GONE] = [id(0xa), id(0xb)];

let database: TestDatabase;
beforeAll(async () => {
  database = await createObservationDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query('TRUNCATE latest_run, latest_look, closed_book, job_run, kept_answer, kept_page');
});

const living = (checks: readonly string[] | null): ExistenceQueries => ({
  checks: (ids) => Promise.resolve(checks === null ? null : new Set(ids.filter((one) => checks.includes(one)))),
  projects: (ids) => Promise.resolve(new Set(ids.filter((one) => one === PROJECT))),
});
const leftoversOf = (checks: readonly string[] | null): Promise<number> => deleteOrphans(database.pool, living(checks), NOW - 90 * DAY);

const ran = (checkId: string, projectId: string, daysAgo: number) =>
  database.pool.query('INSERT INTO latest_run (check_id, project_id, at, whole) VALUES ($1, $2, $3, $4)', [
    ...[idBytes(checkId), idBytes(projectId), NOW - daysAgo * DAY, Buffer.of(1)],
  ]);
const looked = (projectId: string, daysAgo: number) =>
  database.pool.query(`INSERT INTO latest_look (project_id, kind, at, url) VALUES ($1, 'redirect', $2, 'http://site.example')`, [
    ...[idBytes(projectId), NOW - daysAgo * DAY],
  ]);
async function left(table: 'latest_run' | 'latest_look'): Promise<readonly string[]> {
  const key = table === 'latest_run' ? 'check_id' : 'project_id';
  const { rows } = await database.pool.query<{ key: Buffer }>(`SELECT ${key} AS key FROM ${table} ORDER BY 1`);
  return rows.map((row) => idText(row.key));
}

it('keeps the latest run of an existing check, and of a deleted one for the retention', async () => {
  const [there, gone, lately, withProject] = [id(1), id(2), id(3), id(4)];
  await ran(there, PROJECT, 1_000);
  await ran(gone, PROJECT, 91);
  await ran(lately, PROJECT, 89);
  await ran(withProject, GONE, 91);
  expect(await leftoversOf([there, withProject])).toBe(2);
  expect(await left('latest_run')).toEqual([there, lately]);
});

it('deletes nothing while the existing ids are unknown', async () => {
  await ran(id(2), PROJECT, 91);
  expect(await leftoversOf(null)).toBe(0);
  expect(await left('latest_run')).toEqual([id(2)]);
});

it('checks all rows, page by page', async () => {
  await database.pool.query(
    `INSERT INTO latest_run (check_id, project_id, at, whole)
     SELECT decode(lpad(to_hex(n), 24, '0'), 'hex'), $1, $2, '' FROM generate_series(1, 2500) AS n`,
    [idBytes(PROJECT), NOW - 100 * DAY],
  );
  expect(await leftoversOf([id(1_500)])).toBe(2_499);
  expect(await left('latest_run')).toEqual([id(1_500)]);
});

it('keeps the latest inspection of an existing project', async () => {
  await looked(PROJECT, 1_000);
  await looked(GONE, 91);
  expect(await leftoversOf([])).toBe(1);
  expect(await left('latest_look')).toEqual([PROJECT]);
});

it('deletes the mark of a closed day once no partition of it is left', async () => {
  const days = ['2026-02-20', '2026-02-28', '2026-03-01', '2026-03-02', '2026-05-31'];
  for (const day of days)
    await database.pool.query(`INSERT INTO closed_book (project_id, day, sha256, buckets) VALUES ($1, $2, '', '')`, [idBytes(GONE), day]);
  await applyRetention(database.pool, { days: 90, keptBytes: 2 ** 20 }, NOW);
  const { rows } = await database.pool.query<{ day: string; kept: boolean }>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day, buckets IS NOT NULL AS kept FROM closed_book ORDER BY day`,
  );
  // Ninety days back is the third of March; two days before it a bucket may still reach over.
  expect(rows).toEqual([
    { day: '2026-03-01', kept: false },
    { day: '2026-03-02', kept: false },
    { day: '2026-05-31', kept: true },
  ]);
});
