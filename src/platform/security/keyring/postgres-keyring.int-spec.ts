import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { masterKeys } from '../../../../test/support/master-keys.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.ts';
import { until } from '../../../../test/support/until.ts';
import { keyringContract } from './keyring.contract.ts';
import { PostgresKeyring } from './postgres-keyring.ts';
import { PostgresSecrets } from './secrets.ts';
import { MasterKeyWrong } from './master-key.ts';

const master = randomBytes(32);
let database: TestDatabase;
let keyring: PostgresKeyring;
beforeAll(async () => {
  database = await createTestDatabase();
  keyring = new PostgresKeyring(database.pool, masterKeys(database.pool, master));
});
afterAll(() => database.drop());

describe('the keyring in Postgres', () => {
  keyringContract(() => keyring);

  it('uses one key on all instances, also when they create it concurrently', async () => {
    const instances = Array.from({ length: 8 }, () => new PostgresKeyring(database.pool, masterKeys(database.pool, master)));
    const sealed = await Promise.all(instances.map((instance) => instance.seal('account-20', 'one')));
    expect(new Set(sealed.map((value) => value.sealed)).size).toBe(1);
  });

  it('stops decrypting on another instance within a second of an erasure', async () => {
    let now = 0;
    const other = new PostgresKeyring(database.pool, masterKeys(database.pool, master), { now: () => now });
    const sealed = await other.seal('account-21', 'text');
    await keyring.erase('account-21');
    expect(await other.open(sealed)).toBe('text');
    now = 999;
    expect(await other.open(sealed)).toBeNull();
  });

  it("stops decrypting in time when the machine's clock is set back", async () => {
    const other = new PostgresKeyring(database.pool, masterKeys(database.pool, master));
    const sealed = await other.seal('account-23', 'text');
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
    await keyring.erase('account-23');
    await until(async () => (await other.open(sealed)) === null, 5_000, 'the end of the cached key');
    clock.mockRestore();
  });

  it('loads the keys of one tick in one query, and caches them', async () => {
    const values = await Promise.all(Array.from({ length: 50 }, (_, index) => keyring.seal(`project-${String(index)}`, 'key')));
    const opened = masterKeys(database.pool, master);
    await opened.open();
    let queries = 0;
    const counting = Object.create(database.pool) as typeof database.pool;
    counting.query = ((...given: Parameters<typeof database.pool.query>) => {
      queries++;
      return database.pool.query(...given);
    }) as typeof database.pool.query;
    const fresh = new PostgresKeyring(counting, opened);
    await Promise.all(values.map((value) => fresh.open(value)));
    await Promise.all(values.map((value) => fresh.open(value)));
    expect(queries).toBe(1);
  });

  it('stores keys wrapped by the master key', async () => {
    await keyring.seal('account-22', 'text');
    const wrong = new PostgresKeyring(database.pool, masterKeys(database.pool, randomBytes(32)));
    await expect(wrong.seal('account-22', 'text')).rejects.toThrow(MasterKeyWrong);
  });
});

describe('the secrets of an installation', () => {
  it('are generated once, and the same on every instance', async () => {
    const made = await Promise.all(
      Array.from({ length: 4 }, () => new PostgresSecrets(database.pool, masterKeys(database.pool, master)).secret('object-ids')),
    );
    expect(new Set(made.map((secret) => secret.toString('hex'))).size).toBe(1);
    expect(made[0]).toHaveLength(32);
    expect(await new PostgresSecrets(database.pool, masterKeys(database.pool, master)).secret('look-up')).not.toEqual(made[0]);
  });

  it('are refused with another master key', async () => {
    await new PostgresSecrets(database.pool, masterKeys(database.pool, master)).secret('object-ids');
    await expect(new PostgresSecrets(database.pool, masterKeys(database.pool, randomBytes(32))).secret('object-ids')).rejects.toThrow(
      MasterKeyWrong,
    );
  });
});
