import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, emptied, type TestDatabase } from '../../../../test/support/database.ts';
import { masterKeys } from '../../../../test/support/master-keys.ts';
import { PostgresKeyring } from './postgres-keyring.ts';
import { countWraps, rotateMasterKey } from './rewrap.ts';
import { RotatingSecret } from './rotating-secret.ts';
import { PostgresSecrets } from './secrets.ts';
import { MasterKeyWrong } from './master-key.ts';

const [old, next, other] = [randomBytes(32), randomBytes(32), randomBytes(32)];
const quiet = (): void => undefined;
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  await emptied(database);
});
afterAll(() => database.drop());

/** An instance with this configuration, the newest key first. */
const instance = (...keys: readonly Buffer[]) => {
  const master = masterKeys(database.pool, ...keys);
  let now = 0;
  const clock = { now: () => (now += 10_000) };
  return { master, keyring: new PostgresKeyring(database.pool, master, clock), secrets: new PostgresSecrets(database.pool, master) };
};
const rotate = (...keys: readonly Buffer[]) => rotateMasterKey(database.pool, keys, quiet);

describe('the rotation of the master key', () => {
  it('lets instances with the old, with both and with the new key read each other at every step', async () => {
    const before = instance(old);
    const sealed = [await before.keyring.seal('account-1', 'one')];
    await before.secrets.secret('look-up');
    const during = instance(next, old);
    await during.master.open();
    sealed.push(await during.keyring.seal('account-2', 'two'));
    for (const value of sealed) expect(await before.keyring.open(value)).not.toBeNull();
    expect(await rotate(next, old)).toEqual({ kind: 'rewrapped', rows: 3 });
    sealed.push(await during.keyring.seal('account-3', 'three'));
    const after = instance(next);
    await after.master.open();
    for (const { keyring } of [during, after])
      expect(await Promise.all(sealed.map((value) => keyring.open(value)))).toEqual(['one', 'two', 'three']);
    expect(await after.secrets.secret('look-up')).toEqual(await before.secrets.secret('look-up'));
    expect(await rotate(next, old)).toEqual({ kind: 'nothing to do' });
  });

  it('refuses the old key afterwards, at the start, in readiness, for reading and for writing', async () => {
    const before = instance(old);
    const sealed = await before.keyring.seal('account-1', 'one');
    await rotate(next, old);
    await expect(instance(old).master.open()).rejects.toThrow('the master key is not the one in use');
    await expect(instance(old).master.check()).rejects.toThrow('was rotated');
    await expect(before.keyring.open(sealed)).rejects.toThrow(MasterKeyWrong);
    await expect(before.keyring.seal('account-2', 'two')).rejects.toThrow(MasterKeyWrong);
    expect((await database.pool.query(`SELECT FROM subject_keys WHERE subject = 'account-2'`)).rowCount).toBe(0);
    // A row that someone with the leaked key put there.
    await database.pool.query(`DELETE FROM subject_keys; DELETE FROM installation_key`);
    await before.keyring.seal('account-3', 'three');
    await database.pool.query(`UPDATE installation_key SET state = 'retired'`);
    await expect(instance(next, old).keyring.seal('account-3', 'three')).rejects.toThrow(MasterKeyWrong);
    expect(await rotate(old, next)).toMatchObject({ kind: 'refused' });
  });

  it('continues after an interruption, and keeps what was erased meanwhile', async () => {
    const { keyring } = instance(old);
    const sealed = await Promise.all(Array.from({ length: 50 }, (_, id) => keyring.seal(`account-${String(id)}`, 'text')));
    await expect(
      rotateMasterKey(database.pool, [next, old], () => {
        throw new Error('interrupted');
      }),
    ).rejects.toThrow('interrupted');
    const during = instance(next, old);
    expect(await Promise.all(sealed.map((value) => during.keyring.open(value)))).toEqual(sealed.map(() => 'text'));
    await during.keyring.erase('account-7');
    expect(await rotate(other, next)).toMatchObject({ kind: 'refused' });
    expect(await rotate(next, old)).toMatchObject({ kind: 'rewrapped' });
    expect(await countWraps(database.pool, { active: next, previous: old })).toEqual({ active: 49, previous: 0, unknown: 0 });
    expect(await instance(next).keyring.open(sealed[7] ?? { subject: '', sealed: '' })).toBeNull();
  });

  it('loses no key that instances create meanwhile', async () => {
    await instance(old).keyring.seal('project-1', 'text');
    const writers = [instance(next, old), instance(next, old)];
    let count = 0;
    let isDone = false;
    const made: Promise<unknown>[] = writers.map(async ({ keyring }) => {
      while (!isDone) await keyring.seal(`account-${String(count++)}`, 'text');
    });
    while (count < 20) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await rotate(next, old)).toMatchObject({ kind: 'rewrapped' });
    isDone = true;
    await Promise.all(made);
    expect(await countWraps(database.pool, { active: next, previous: old })).toMatchObject({ previous: 0, unknown: 0 });
  });

  it('refuses a new key without the one in use', async () => {
    await instance(old).keyring.seal('account-1', 'one');
    expect(await rotate(next)).toMatchObject({ kind: 'refused', reason: expect.stringContaining('MASTER_KEY_PREVIOUS') });
    expect(await rotate(next, other)).toMatchObject({ kind: 'refused' });
    await expect(instance(next).master.open()).rejects.toThrow('the master key is not the one in use');
  });
});

describe('the rotation of a secret', () => {
  const secret = (...given: readonly Buffer[]) =>
    new RotatingSecret({ pool: database.pool, master: masterKeys(database.pool, old), name: 'jwt', given });

  it('signs with one key on all instances, whatever their configuration lists first', async () => {
    const before = secret(old);
    await before.open();
    const during = secret(next, old);
    await during.open();
    expect(during.active.key).toEqual(old);
    expect(await during.rotate()).toEqual({ kind: 'rotated' });
    expect((await during.accepted()).map(({ key, state }) => [key, state])).toEqual([
      [next, 'active'],
      [old, 'previous'],
    ]);
    expect(await during.retire()).toBe(true);
    expect((await during.accepted()).map(({ key }) => key)).toEqual([next]);
    await expect(secret(old).open()).rejects.toThrow('JWT_KEY was retired');
  });

  it('takes a key that is configured alone at once, and refuses the one before', async () => {
    await secret(old).open();
    const replaced = secret(next);
    await replaced.open();
    expect(replaced.active.key).toEqual(next);
    await expect(secret(old).open()).rejects.toThrow('JWT_KEY was retired');
  });

  it('keeps generated keys in the database', async () => {
    const [one, two] = [secret(), secret()];
    await Promise.all([one.open(), two.open()]);
    const first = one.active.key;
    expect(two.active.key).toEqual(first);
    expect(await one.rotate()).toEqual({ kind: 'rotated' });
    expect(await one.rotate()).toMatchObject({ kind: 'refused' });
    await two.open();
    expect((await two.accepted()).map(({ key }) => key)).toEqual([one.active.key, first]);
    expect(await two.retire()).toBe(true);
    expect((await two.accepted()).map(({ key }) => key)).toEqual([one.active.key]);
  });
});
