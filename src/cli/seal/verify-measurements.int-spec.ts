import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { sampleAt } from '../../../test/support/observations/sample.ts';
import { sampleEvents } from '../../../test/support/sealed-log.ts';
import { insertEvents } from '../../../test/support/log-table.ts';
import { DAY } from '../../observations/closed-days/day-intervals.codec.ts';
import { DayPartitions } from '../../observations/packs/day-partitions.ts';
import { PackCompactor } from '../../observations/packs/pack-compactor.ts';
import { KeptPages } from '../../observations/pages/kept-pages.ts';
import { sampleKind } from '../../observations/samples/postgres-samples.ts';
import { booksOf } from '../../processes/day-closing/day-books.ts';
import { verifyMeasurements } from './verify-measurements.ts';

const SITE = '0123456789abcdef01234567';
const MORNING = Date.UTC(2026, 0, 1, 9);
const days = ['2026-01-01', '2026-01-02'];
const probes = days.flatMap((_, day) => Array.from({ length: 120 }, (__, minute) => sampleAt(MORNING + day * DAY + minute * 60_000)));

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await insertEvents(
    database.pool,
    sampleEvents(days.length).map((event, at) => ({
      ...event,
      type: 'UptimeDayClosed',
      data: booksOf(SITE, days[at] ?? '', probes).uptime,
    })),
  );
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query('TRUNCATE sample_hour, kept_page');
  await new PackCompactor(database.pool, sampleKind).write(SITE, probes);
});

describe('what was measured', () => {
  it('is what the closed days say, and the pages are what their names say', async () => {
    await new KeptPages(database.pool).keep(Buffer.from('<html></html>'));
    expect(await verifyMeasurements(database.pool)).toEqual({ kind: 'intact', days: 2, letGo: 0, pages: 1 });
  });

  it('is named with its project and day when a probe is not what it was, is missing, or cannot be read', async () => {
    const changed = probes.with(130, sampleAt(probes[130]?.at ?? 0, { outcome: 'down' }));
    const { pool } = database;
    const instead = async (others: typeof probes): Promise<void> => {
      await pool.query('TRUNCATE sample_hour');
      await new PackCompactor(pool, sampleKind).write(SITE, others);
    };
    const secondDay = `hour >= ${String((Date.UTC(2026, 0, 2) / DAY) * 24)}`;
    const attacks: readonly (readonly [() => Promise<unknown>, string])[] = [
      [() => instead(changed), 'a probe was changed'],
      [() => instead(probes.toSpliced(130, 1)), 'there are 119 probes, there were 120'],
      [() => pool.query(`UPDATE sample_hour SET packed = '\\x07' WHERE ${secondDay}`), 'packed bytes have an unknown format'],
      [() => pool.query(`DELETE FROM sample_hour WHERE ${secondDay}`), 'there are 0 probes, there were 120'],
    ];
    for (const [attack, what] of attacks) {
      await attack();
      const verdict = await verifyMeasurements(database.pool);
      expect(verdict).toMatchObject({ kind: 'tampered', finding: { kind: 'measurements', project: SITE, day: '2026-01-02' } });
      expect(verdict.kind === 'tampered' && verdict.finding.message).toContain(what);
    }
  });

  it('is let go of a day at a time, which is no finding', async () => {
    await database.pool.query(`INSERT INTO closed_book (project_id, day, sha256) VALUES (decode($1, 'hex'), '2026-01-01', '')`, [SITE]);
    expect(await new DayPartitions(database.pool, 'sample').drop('2026-01-01')).toBe('dropped');
    expect(await verifyMeasurements(database.pool)).toMatchObject({ kind: 'intact', days: 1, letGo: 1 });
    await database.pool.query('DELETE FROM closed_book');
  });

  it('names a page that is another one', async () => {
    const name = await new KeptPages(database.pool).keep(Buffer.from('<html></html>'));
    await database.pool.query(`UPDATE kept_page SET packed = '\\x00'`);
    expect(await verifyMeasurements(database.pool)).toMatchObject({ kind: 'tampered', finding: { kind: 'page', page: name } });
  });
});
