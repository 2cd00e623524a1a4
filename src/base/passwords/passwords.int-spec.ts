import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { Passwords } from './passwords.ts';

let database: TestDatabase;
let passwords: Passwords;
beforeAll(async () => {
  database = await createTestDatabase();
  passwords = new Passwords(database.pool);
});
afterAll(() => database.drop());

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

describe('passwords', () => {
  it('are kept as argon2id hashes of 19 MiB and two passes, never as themselves', async () => {
    await passwords.set(1, 'correct horse battery staple');
    const { rows } = await database.pool.query<{ hash: string }>('SELECT hash FROM passwords WHERE user_id = 1');
    expect(rows[0]?.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.verify(1, 'correct horse battery staple')).toBe(rows[0]?.hash);
    expect(await passwords.verify(1, 'correct horse battery stapl')).toBeNull();
  });

  it('are forgotten with their account', async () => {
    await passwords.set(2, 'correct horse');
    await passwords.forget(2);
    expect(await passwords.verify(2, 'correct horse')).toBeNull();
    expect(await passwords.has(2)).toBe(false);
  });

  it('are compared in the same time for an account that does not exist', async () => {
    await passwords.set(3, 'correct horse');
    await passwords.verify(null, 'warm up');
    const timed = async (userId: number | null): Promise<number> => {
      const start = performance.now();
      await passwords.verify(userId, 'wrong');
      return performance.now() - start;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    for (let round = 0; round < 15; round++) {
      known.push(await timed(3));
      unknown.push(await timed(null));
    }
    const ratio = median(unknown) / median(known);
    expect(ratio).toBeGreaterThan(0.7);
    expect(ratio).toBeLessThan(1.4);
  });

  it('are hashed off the event loop', async () => {
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const start = performance.now();
    await Promise.all(Array.from({ length: 6 }, () => passwords.verify(null, 'any')));
    clearInterval(timer);
    expect(longest).toBeLessThan((performance.now() - start) / 2);
  });
});
