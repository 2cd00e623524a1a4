import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { claimsContract } from './claims.contract.ts';
import { PostgresClaims } from './postgres-claims.ts';

for (const flush of [true, false]) {
  claimsContract(flush ? 'postgres' : 'postgres, made durable by the append', async () => {
    const { pool, drop } = await createTestDatabase();
    return { claims: new PostgresClaims(pool, flush), elapse: (seconds) => sleep(seconds * 1_000), close: drop };
  });
}

describe('slots in postgres', () => {
  let database: TestDatabase;
  let claims: PostgresClaims;
  beforeAll(async () => {
    database = await createTestDatabase();
    claims = new PostgresClaims(database.pool, false);
  });
  afterAll(() => database.drop());

  const miscounted = async (): Promise<unknown[]> =>
    (
      await database.pool.query(`
        SELECT kind, owner, counted.taken, rows.taken AS rows FROM slot_count AS counted
        FULL JOIN (SELECT kind, owner, count(*) AS taken, max(number) AS last FROM claim WHERE owner <> '' GROUP BY kind, owner) AS rows USING (kind, owner)
        WHERE coalesce(counted.taken, -1) <> coalesce(rows.taken, 0) OR counted.last < rows.last`)
    ).rows;

  it('are never more than the bound, and counted, while owners claim, transfer, release and delete at once', async () => {
    const owners = ['1', '2', '3'];
    const step = async (index: number): Promise<void> => {
      const [holder, owner] = [`p-${String(index % 9)}`, owners[index % 3] ?? ''];
      const next = owners[(index + 1) % 3] ?? '';
      if (index % 5 === 0) return claims.releaseAll('project', holder);
      const key = await claims.claimSlot('project', owner, 2, holder, index % 7 === 0 ? -1 : 60);
      if (key === null) return;
      if (index % 4 === 0) await claims.claimSlot('project', next, 2, holder);
      if (index % 3 === 0) await claims.release('project', key, holder);
      else await claims.keep('project', key, holder);
      if (index % 7 === 0) await claims.free({ kind: 'project', key, holder });
      const { rows } = await database.pool.query<{ taken: string }>(
        `SELECT count(*) AS taken FROM claim WHERE kind = 'project' GROUP BY owner`,
      );
      for (const { taken } of rows) expect(Number(taken)).toBeLessThanOrEqual(2);
    };
    await Promise.all(Array.from({ length: 400 }, (_, index) => step(index)));
    expect(await miscounted()).toEqual([]);
  });

  it('are counted whatever changes their rows, as a restore does', async () => {
    await database.pool.query(`
      INSERT INTO claim (kind, key, owner, number, holder) SELECT 'restored', owner || '/' || n, owner, n, owner || n
      FROM unnest(ARRAY['8', '9']) AS owner, generate_series(1, 5) AS n`);
    await database.pool.query(`DELETE FROM claim WHERE kind = 'restored' AND number % 2 = 0`);
    expect(await miscounted()).toEqual([]);
    expect(await claims.slotsTaken('restored', '8')).toBe(3);
    expect(await claims.claimSlot('restored', '8', 3, 'another')).toBeNull();
    expect(await claims.claimSlot('restored', '8', 4, 'another')).toBe('8/6');
  });

  it('cost the same however many an owner has', async () => {
    await database.pool.query(`
      INSERT INTO claim (kind, key, owner, number, holder) SELECT 'many', '5/' || n, '5', n, 'p' || n FROM generate_series(1, 20000) AS n`);
    await database.pool.query('VACUUM ANALYZE claim');
    const client = await database.pool.connect();
    try {
      const read = async (): Promise<number> => {
        await client.query('SELECT pg_stat_force_next_flush()');
        const { rows } = await client.query<{ n: string }>(
          `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS n FROM pg_stat_user_tables WHERE relname IN ('claim', 'slot_count')`,
        );
        return Number(rows[0]?.n);
      };
      for (const bound of [null, 30_000]) {
        const before = await read();
        await client.query(`SELECT claim_slot('many', '5', $1, $2, 60)`, [bound, `new-${String(bound)}`]);
        expect((await read()) - before).toBeLessThan(20);
      }
    } finally {
      client.release();
    }
  });
});
