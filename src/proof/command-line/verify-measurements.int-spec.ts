import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { sampleAt } from '../../../test/support/observations/sample.ts';
import { sampleEvents } from '../../../test/support/sealed-log.ts';
import { insertEvents } from '../../../test/support/log-table.ts';
import { DAY_MS } from '../../kernel/time.ts';
import { DayPartitions } from '../../platform/observations/packs/day-partitions.ts';
import { PackCompactor } from '../../platform/observations/packs/pack-compactor.ts';
import { ExchangeStore, exchangeHash } from '../../platform/observations/exchanges/exchange-store.ts';
import { KeptPages } from '../../platform/observations/pages/kept-pages.ts';
import { sampleKind } from '../../platform/observations/samples/postgres-samples.ts';
import { booksOf } from '../../watches/days/day-books.ts';
import { verifyMeasurements } from './verify-measurements.ts';

const SITE = '0123456789abcdef01234567';
const MORNING = Date.UTC(2026, 0, 1, 9);
const days = ['2026-01-01', '2026-01-02'];
const probes = days.flatMap((_, day) => Array.from({ length: 120 }, (__, minute) => sampleAt(MORNING + day * DAY_MS + minute * 60_000)));

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
  await database.pool.query('TRUNCATE sample_hour, kept_page, kept_exchange');
  await new PackCompactor(database.pool, sampleKind).write(SITE, probes);
});

describe('verifying measurements', () => {
  it('accepts probes that match their closed days, and pages that match their hashes', async () => {
    await new KeptPages(database.pool).keep(SITE, Buffer.from('<html></html>'));
    expect(await verifyMeasurements(database.pool)).toEqual({ kind: 'intact', days: 2, letGo: 0, pages: 1, exchanges: 0 });
  });

  it('names project and day when a probe was changed, is missing, or cannot be read', async () => {
    const changed = probes.with(130, sampleAt(probes[130]?.at ?? 0, { outcome: 'down' }));
    const { pool } = database;
    const replaceProbes = async (others: typeof probes): Promise<void> => {
      await pool.query('TRUNCATE sample_hour');
      await new PackCompactor(pool, sampleKind).write(SITE, others);
    };
    const secondDay = `hour >= ${String((Date.UTC(2026, 0, 2) / DAY_MS) * 24)}`;
    const attacks: readonly (readonly [() => Promise<unknown>, string])[] = [
      [() => replaceProbes(changed), 'a probe was changed'],
      [() => replaceProbes(probes.toSpliced(130, 1)), '119 probes are stored, 120 were closed'],
      [() => pool.query(`UPDATE sample_hour SET packed = '\\x07' WHERE ${secondDay}`), 'packed bytes have an unknown format'],
      [() => pool.query(`DELETE FROM sample_hour WHERE ${secondDay}`), '0 probes are stored, 120 were closed'],
    ];
    for (const [attack, what] of attacks) {
      await attack();
      const verdict = await verifyMeasurements(database.pool);
      expect(verdict).toMatchObject({ kind: 'tampered', finding: { kind: 'measurements', project: SITE, day: '2026-01-02' } });
      expect(verdict.kind === 'tampered' && verdict.finding.message).toContain(what);
    }
  });

  it('accepts expired days, which retention drops as a whole', async () => {
    await database.pool.query(`INSERT INTO closed_book (project_id, day, sha256) VALUES (decode($1, 'hex'), '2026-01-01', '')`, [SITE]);
    expect(await new DayPartitions(database.pool, 'sample').drop('2026-01-01')).toBe('dropped');
    expect(await verifyMeasurements(database.pool)).toMatchObject({ kind: 'intact', days: 1, letGo: 1 });
    await database.pool.query('DELETE FROM closed_book');
  });

  it('names a page that does not match its hash', async () => {
    const name = await new KeptPages(database.pool).keep(SITE, Buffer.from('<html></html>'));
    await database.pool.query(`UPDATE kept_page SET packed = '\\x00'`);
    expect(await verifyMeasurements(database.pool)).toMatchObject({ kind: 'tampered', finding: { kind: 'page', page: name } });
  });

  it.each([
    [
      'of another content',
      'UPDATE kept_exchange SET packed = (SELECT packed FROM kept_exchange WHERE sha256 <> $1 LIMIT 1) WHERE sha256 = $1',
    ],
    ['that cannot be unpacked', `UPDATE kept_exchange SET packed = '\\x07' WHERE sha256 = $1`],
    ['with another page', 'UPDATE kept_exchange SET page = sha256 WHERE sha256 = $1'],
  ])('names an exchange %s', async (_, attack) => {
    const store = new ExchangeStore(database.pool);
    const hashes: string[] = [];
    for (const reason of ['refused', 'reset']) {
      const json = JSON.stringify({ reason, answer: null });
      hashes.push(exchangeHash(json));
      await store.keep({ projectId: SITE, at: MORNING, packed: { json, sha256: exchangeHash(json) }, body: null });
    }
    expect(await verifyMeasurements(database.pool)).toMatchObject({ kind: 'intact', exchanges: 2 });
    const [exchange = ''] = hashes;
    await database.pool.query(attack, [Buffer.from(exchange, 'hex')]);
    const finding = { kind: 'exchange', project: SITE, exchange };
    expect(await verifyMeasurements(database.pool)).toMatchObject({ kind: 'tampered', finding });
  });
});
