import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { masterKeys } from '../../../test/support/master-keys.ts';
import { append, BackupWorld, eventOf, fill, master, ORIGIN } from '../../../test/support/backup-world.ts';
import { PostgresKeyring } from '../../platform/security/keyring/postgres-keyring.ts';
import { SealKeys } from '../../proof/seal/keys/seal-keys.ts';
import { createSigner, signCheckpoint } from '../../proof/seal/signer.ts';
import { migrate, migrations } from '../../app/migration-table.ts';
import { ObservationSchemas } from '../../platform/observations/schemas.ts';
import { migrateObservations } from '../../platform/postgres/migrations/observation-migrations.ts';
import { keyIdOf } from './frames.ts';
import { refuseIncompatible } from './restore.command-line.ts';
import { restoreBackup } from './restore-backup.ts';
import { isRelease } from '../../../test/support/thorough.ts';

const world = BackupWorld.prepare();

describe('restoring', () => {
  it('is refused for an installation that was used before', async () => {
    await world.copyTaken();
    await world.restore();
    await expect(world.restore()).rejects.toThrow('the table log is not empty');
  });

  it('leaves nothing behind when it is interrupted, and can be repeated', async () => {
    await world.copyTaken();
    const ending = new AbortController();
    const progress = (bytes: number): void => {
      if (bytes > 10_000) ending.abort();
    };
    await expect(world.restore({ signal: ending.signal, progress })).rejects.toThrow(/abort/);
    expect(await world.isEmpty()).toBe(true);
    expect(await world.restore()).toMatchObject({ events: 302 });
  });

  it.each([
    ['the database connection is lost', 'PERFORM pg_terminate_backend(pg_backend_pid());'],
    ['its disk is full', `RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full';`],
  ])('leaves nothing behind when %s in the middle', async (_, trouble) => {
    await world.copyTaken();
    await migrate(world.target.url);
    await world.target.pool.query(`
      CREATE FUNCTION trouble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${trouble} RETURN NEW; END $$;
      CREATE TRIGGER trouble BEFORE INSERT ON claim FOR EACH ROW EXECUTE FUNCTION trouble()`);
    await expect(world.restore()).rejects.toThrow(/terminat|no space left/);
    expect(await world.isEmpty()).toBe(true);
    await world.target.pool.query('DROP FUNCTION trouble CASCADE');
    expect(await world.restore()).toMatchObject({ events: 302 });
  });

  describe('an installation whose observations have a database of their own', () => {
    it('restores each table to where it belongs', async () => {
      const apart = await createTestDatabase();
      await fill(apart);
      const target = await createEmptyDatabase();
      // What is in the other database of the same name is not taken.
      await apart.pool.query(`DELETE FROM claim; UPDATE sample_flush SET first_at = 7`);
      await world.source.pool.query('UPDATE sample_flush SET first_at = 8');
      await world.take(world.source, world.file, undefined, apart.url);
      expect(await world.restore({ observationsUrl: target.url })).toMatchObject({
        events: 302,
        rows: { claim: 1, sample_flush: 2, sample_hour: 3 },
      });
      const count = async (where: TestDatabase, table: string) => (await where.pool.query(`SELECT FROM ${table}`)).rowCount;
      expect([await count(world.target, 'sample_flush'), await count(world.target, 'sample_hour')]).toEqual([0, 0]);
      expect((await target.pool.query('SELECT DISTINCT first_at FROM sample_flush')).rows).toEqual([{ first_at: '7' }]);
      expect(await count(target, 'sample_hour')).toBe(3);
      expect((await target.pool.query(`SELECT to_regclass('log') AS log`)).rows).toEqual([{ log: null }]);
      await world.source.pool.query('UPDATE sample_flush SET first_at = 2');
      await Promise.all([apart.drop(), target.drop()]);
    });

    it('is refused a database that another installation has claimed, and claims it for itself', async () => {
      const target = await createEmptyDatabase();
      const observationsUrl = target.url;
      const owner = async () => (await target.pool.query('SELECT installation FROM observation_home')).rows as readonly unknown[];
      await world.copyTaken();
      await migrateObservations(observationsUrl, new ObservationSchemas(1));
      await target.pool.query(`INSERT INTO observation_home (installation) VALUES ('elsewhere')`);
      await expect(world.restore({ observationsUrl })).rejects.toThrow('holds the observations of another installation (elsewhere)');
      expect(await world.isEmpty()).toBe(true);
      await target.pool.query('DELETE FROM observation_home');
      expect(await world.restore({ observationsUrl })).toMatchObject({ events: 302 });
      expect(await owner()).toEqual([{ installation: ORIGIN }]);
      await target.drop();
    });

    if (isRelease)
      it('does not depend on the number of schemas of either', async () => {
        const [apart, four, two] = [await createTestDatabase(), await createEmptyDatabase(), await createEmptyDatabase()];
        await fill(apart);
        await apart.pool.query(`UPDATE sample_flush SET slot = 65, first_at = id; UPDATE run_flush SET slot = 66`);
        await apart.pool.query(`INSERT INTO sample_hour SELECT '\\x0502', hour, packed FROM sample_hour`);
        await apart.pool.query(`INSERT INTO closed_book (project_id, day, sha256) VALUES ('\\x0c', '2026-01-01', '\\x02')`);
        // No check is known to have kept it, so that each schema gets it.
        await apart.pool.query(`INSERT INTO kept_page (sha256, size, packed) VALUES ('\\x0a', 1, '\\x00')`);
        await world.take(world.source, world.file, undefined, apart.url);
        const schemas = [new ObservationSchemas(4), new ObservationSchemas(2)] as const;
        await world.restore({ observationsUrl: four.url, schemas: schemas[0] });
        const rowsIn = async (where: TestDatabase, of: ObservationSchemas, table: string) =>
          Promise.all(of.all.map(async (schema) => (await where.pool.query(`SELECT FROM ${schema.table(table)}`)).rowCount));
        expect(await rowsIn(four, schemas[0], 'sample_hour')).toEqual([3, 3, 0, 0]);
        expect(await rowsIn(four, schemas[0], 'sample_flush')).toEqual([0, 2, 0, 0]);
        expect(await rowsIn(four, schemas[0], 'closed_book')).toEqual([0, 0, 0, 1]);
        expect(await rowsIn(four, schemas[0], 'kept_page')).toEqual([1, 1, 1, 1]);

        await world.take(world.source, world.file, undefined, four.url, schemas[0]);
        await world.target.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
        expect(await world.restore({ observationsUrl: two.url, schemas: schemas[1] })).toMatchObject({
          rows: { sample_hour: 6, sample_flush: 2 },
        });
        expect(await rowsIn(two, schemas[1], 'sample_hour')).toEqual([3, 3]);
        expect(await rowsIn(two, schemas[1], 'kept_page')).toEqual([1, 1]);
        expect((await two.pool.query('SELECT first_at FROM obs_01.sample_flush ORDER BY id')).rows).toEqual([
          { first_at: '1' },
          { first_at: '2' },
        ]);

        const one = await createEmptyDatabase();
        await world.take(world.source, world.file, undefined, two.url, schemas[1]);
        await world.target.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
        await world.restore({ observationsUrl: one.url });
        expect((await one.pool.query('SELECT FROM kept_page')).rowCount).toBe(1);
        await Promise.all([apart.drop(), four.drop(), two.drop(), one.drop()]);
      });

    it('refuses to spread what a version before the shards has stored', async () => {
      const target = await createEmptyDatabase();
      await world.copyTaken();
      await expect(world.restore({ observationsUrl: target.url, schemas: new ObservationSchemas(4) })).rejects.toThrow('before the shards');
      expect(await world.isEmpty()).toBe(true);
      await target.drop();
    });

    it('leaves nothing behind in either of them when it is interrupted', async () => {
      const target = await createEmptyDatabase();
      await world.copyTaken();
      const ending = new AbortController();
      const progress = (bytes: number): void => {
        if (bytes > 10_000) ending.abort();
      };
      await expect(world.restore({ observationsUrl: target.url, signal: ending.signal, progress })).rejects.toThrow(/abort/);
      expect(await world.isEmpty()).toBe(true);
      expect((await target.pool.query('SELECT FROM sample_hour')).rowCount).toBe(0);
      expect(await world.restore({ observationsUrl: target.url })).toMatchObject({ events: 302 });
      await target.drop();
    });
  });

  it('migrates a backup of an older version to this version', async () => {
    const old = await createEmptyDatabase();
    const names = migrations.map(({ name }) => name).filter((name) => !name.startsWith('Streams'));
    await migrate(old.url, names);
    await fill(old);
    await world.take(old);
    // The installation continues with the next version: only its keys are taken.
    await migrate(old.url);
    await world.take(old, null);
    await old.drop();
    await world.restore();
    expect(await world.isThere('subscription')).toBe(true);
    expect(await migrate(world.target.url)).toEqual([]);
  });

  it('refuses files that do not belong together, or come from a later version', async () => {
    await world.copyTaken();
    const { data, keys } = await world.orderOf();
    const check =
      (change: Partial<typeof data.head>, keysToo: Partial<typeof data.head> = {}) =>
      () => {
        refuseIncompatible({ ...data, head: { ...data.head, ...change } }, { ...keys, head: { ...keys.head, ...keysToo } }, 'postgres');
      };
    expect(check({})).not.toThrow();
    expect(check({ migrations: ['FromTheFuture'] })).toThrow('made by a later version (9, with the migration FromTheFuture)');
    expect(check({ migrations: data.head.migrations.slice(0, 5) })).not.toThrow();
    expect(check({}, { migrations: data.head.migrations.slice(0, 5) })).toThrow('copied by an older version than the data');
    expect(check({ origin: 'another' })).toThrow('come from different installations');
    expect(check({}, { takenAt: '2001-01-01T00:00:00.000Z' })).toThrow('the keys were copied before the data');
    expect(check({ engine: 'kurrentdb' })).toThrow('set EVENTSTORE_URL');
    expect(check({ part: 'keys' })).toThrow('name the file of the data first');
    expect(check({}, { part: 'data' })).toThrow('--keys names the file of the keys');
    expect(keyIdOf(master)).toHaveLength(16);
  });

  it('refuses a database whose schema is newer than the backup', async () => {
    await world.copyTaken();
    await migrate(world.target.url);
    const order = await world.orderOf();
    const older = { ...order.data.head, migrations: order.data.head.migrations.slice(0, 4) };
    await expect(restoreBackup({ ...order, data: { ...order.data, head: older } })).rejects.toThrow('restore into an empty database');
  });
});

describe('changes after the data were copied', () => {
  const keyOf = async (userId: number): Promise<unknown> =>
    (await world.target.pool.query(`SELECT wrapped IS NULL AS erased FROM subject_keys WHERE subject = $1`, [`account-${String(userId)}`]))
      .rows[0];
  const passwords = async (): Promise<unknown> => (await world.target.pool.query('SELECT user_id FROM passwords ORDER BY 1')).rows;

  it('keeps an account that was erased in between unreadable, and resumes its erasure', async () => {
    const live = await createEmptyDatabase();
    await migrate(live.url);
    await fill(live);
    await world.take(live);
    await new PostgresKeyring(live.pool, masterKeys(live.pool, master)).erase('account-2');
    await live.pool.query('DELETE FROM passwords WHERE user_id = 2; INSERT INTO erasures (user_id, done_at) VALUES (2, now())');
    await append(live, [eventOf('account-2', 'AccountErased')]);
    await world.take(live, null);
    await live.drop();
    expect(await world.restore()).toMatchObject({ erasing: [2] });
    expect([await keyOf(1), await keyOf(2), await passwords()]).toEqual([{ erased: false }, { erased: true }, [{ user_id: 1 }]]);
    expect((await world.target.pool.query('SELECT user_id FROM erasures WHERE done_at IS NULL')).rows).toEqual([{ user_id: 2 }]);
  });

  it('erases an account named by --erased although the keys still contain it', async () => {
    await world.copyTaken();
    expect(await world.restore({ erased: [1] })).toMatchObject({ erasing: [1] });
    expect([await keyOf(1), await keyOf(2), await passwords()]).toEqual([{ erased: true }, { erased: false }, [{ user_id: 2 }]]);
  });

  it('refuses to erase an account that the backup does not contain', async () => {
    await world.copyTaken();
    await expect(world.restore({ erased: [1, 999] })).rejects.toThrow('the backup has no account 999');
    expect(await world.isEmpty()).toBe(true);
  });

  it('deletes keys and passwords of accounts that are newer than the data', async () => {
    const live = await createEmptyDatabase();
    await migrate(live.url);
    await fill(live);
    await world.take(live);
    await new PostgresKeyring(live.pool, masterKeys(live.pool, master)).seal('account-3', 'late');
    await live.pool.query(`INSERT INTO passwords (user_id, hash) VALUES (3, 'late')`);
    await world.take(live, null);
    await live.drop();
    await world.restore();
    expect([await keyOf(3), await passwords()]).toEqual([undefined, [{ user_id: 1 }, { user_id: 2 }]]);
  });

  it('declares events that were sealed after the backup as lost in the log', async () => {
    await world.copyTaken();
    const [signer] = await new SealKeys({
      pool: world.source.pool,
      master: masterKeys(world.source.pool, master),
      origin: ORIGIN,
    }).signers();
    if (signer === undefined) throw new Error('no signing key');
    const checkpoint = signCheckpoint({ origin: ORIGIN, size: 310, root: randomBytes(32) }, [signer]);
    expect(await world.restore({ checkpoint })).toMatchObject({ lost: { from: 310, to: 302 } });
    const { rows } = await world.target.pool.query(`SELECT n, type, scope, data FROM log ORDER BY n DESC LIMIT 1`);
    expect(rows).toEqual([{ n: '302', type: 'LogTruncated', scope: 'system', data: expect.stringContaining('"from":310,"to":302') }]);
    expect((await world.target.pool.query('SELECT number, size, generation FROM ledger_checkpoint')).rows).toEqual([
      { number: '1', size: '310', generation: 0 },
    ]);
    expect((await world.target.pool.query('SELECT generation FROM ledger_state')).rows).toEqual([{ generation: 1 }]);
  });

  it('declares lost what the data folder knows to be signed, unless another log signed it', async () => {
    await world.copyTaken();
    const [signer] = await new SealKeys({
      pool: world.source.pool,
      master: masterKeys(world.source.pool, master),
      origin: ORIGIN,
    }).signers();
    if (signer === undefined) throw new Error('no signing key');
    const lastCheckpoint = signCheckpoint({ origin: ORIGIN, size: 310, root: randomBytes(32) }, [signer]);
    expect(await world.restore({ lastCheckpoint })).toMatchObject({ lost: { from: 310, to: 302 } });
  });

  it('continues behind a later origin than the data have, however few events its checkpoint covers', async () => {
    const live = await createEmptyDatabase();
    await migrate(live.url);
    await fill(live);
    await world.take(live);
    // After the data were copied the log lost events, and went on under its second origin.
    const [later] = await new SealKeys({ pool: live.pool, master: masterKeys(live.pool, master), origin: ORIGIN }).signersOf(`${ORIGIN}/2`);
    if (later === undefined) throw new Error('no signing key');
    await world.take(live, null);
    await live.drop();
    const lastCheckpoint = signCheckpoint({ origin: `${ORIGIN}/2`, size: 5, root: randomBytes(32) }, [later]);
    expect(await world.restore({ lastCheckpoint })).toMatchObject({ lost: { from: 5, to: 0 } });
    const { rows } = await world.target.pool.query<{ data: string }>(`SELECT data FROM log WHERE type = 'LogTruncated'`);
    expect(rows.map(({ data }) => JSON.parse(data) as object)).toMatchObject([{ origin: `${ORIGIN}/3`, lastCheckpoint }]);
    expect((await world.target.pool.query('SELECT generation FROM ledger_state')).rows).toEqual([{ generation: 2 }]);
  });

  it('ignores what the data folder knows of another log', async () => {
    await world.copyTaken();
    const lastCheckpoint = signCheckpoint({ origin: ORIGIN, size: 310, root: randomBytes(32) }, [createSigner(ORIGIN, randomBytes(32))]);
    expect(await world.restore({ lastCheckpoint })).toMatchObject({ lost: null });
  });

  it('refuses a checkpoint that this installation did not sign', async () => {
    await world.copyTaken();
    await expect(world.restore({ checkpoint: 'nonsense' })).rejects.toThrow('the checkpoint was not signed by');
    expect(await world.isEmpty()).toBe(true);
  });
});
