import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { hashPassword, Passwords } from './passwords.ts';

let database: TestDatabase;
let passwords: Passwords;
beforeAll(async () => {
  database = await createTestDatabase();
  passwords = new Passwords(database.pool);
});
afterAll(() => database.drop());

describe('passwords', () => {
  it('are stored as argon2id hashes of 19 MiB and two passes only', async () => {
    await passwords.set(1, 'correct horse battery staple');
    const { rows } = await database.pool.query<{ hash: string }>('SELECT hash FROM passwords WHERE user_id = 1');
    expect(rows[0]?.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.verify(1, 'correct horse battery staple')).toBe(rows[0]?.hash);
    expect(await passwords.verify(1, 'correct horse battery stapl')).toBeNull();
  });

  it('are deleted with their account', async () => {
    await passwords.set(2, 'correct horse');
    await passwords.forget(2);
    expect(await passwords.verify(2, 'correct horse')).toBeNull();
    expect(await passwords.has(2)).toBe(false);
  });

  it('are compared with the same work for an account that does not exist', async () => {
    await passwords.set(3, 'correct horse');
    await passwords.verify(null, 'warm up');
    // CPU time, because other processes may run. Without hashing it would be less than a hundredth.
    const cpuTime = async (userId: number | null): Promise<number> => {
      const before = process.cpuUsage();
      await passwords.verify(userId, 'wrong');
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    for (let round = 0; round < 15; round++) {
      known.push(await cpuTime(3));
      unknown.push(await cpuTime(null));
    }
    const ratio = Math.min(...unknown) / Math.min(...known);
    expect(ratio).toBeGreaterThan(0.25);
    expect(ratio).toBeLessThan(4);
  });

  it('are hashed off the event loop', async () => {
    let iterations = 0;
    let isDone = false;
    const iterate = (): void => {
      iterations++;
      if (!isDone) setImmediate(iterate);
    };
    setImmediate(iterate);
    await Promise.all(Array.from({ length: 6 }, () => hashPassword('any')));
    isDone = true;
    expect(iterations).toBeGreaterThan(0);
  });
});
