import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { ConsoleAddresses } from '../sessions/console-addresses.ts';
import { SessionStore } from './session-store.ts';
import { cookieHash, isRotationDue, SessionCookies } from './session-cookies.ts';
import { TokenStore } from './token-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const instance = (): SessionCookies => new SessionCookies(database.pool, { secret: () => Promise.resolve(Buffer.alloc(32, 1)) });

async function session(tokenId: string, kind: 'login' | 'personal' = 'login'): Promise<string | null> {
  const [issuedAt, expiresAt] = [new Date(), new Date(Date.now() + 3_600_000)];
  await new TokenStore(database.pool).add({ tokenId, userId: 1, kind, issuedAt, expiresAt }, null);
  return instance().begin(tokenId, 'admin', false);
}
const age = (tokenId: string, interval: string) =>
  database.pool.query(`UPDATE tokens SET cookie_at = cookie_at - $2::interval WHERE token_id = $1`, [tokenId, interval]);
async function isDue(value: string, role: string | null): Promise<boolean> {
  const found = await instance().find(cookieHash(value));
  return found !== null && isRotationDue(found, role);
}
const isAccepted = async (value: string): Promise<boolean> => (await instance().find(cookieHash(value))) !== null;

describe('session cookies', () => {
  it('are stored as hashes only', async () => {
    const value = (await session('hashed')) ?? '';
    expect(await instance().find(cookieHash(value))).toMatchObject({ tokenId: 'hashed', userId: 1, role: 'admin', isCurrent: true });
    const { rows } = await database.pool.query<{ row: string }>('SELECT tokens::text AS row FROM tokens');
    expect(rows.filter(({ row }) => row.includes(value))).toEqual([]);
  });

  it('of another installation, or made up, are known without a query', async () => {
    const value = (await session('genuine')) ?? '';
    const other = new SessionCookies(database.pool, { secret: () => Promise.resolve(Buffer.alloc(32, 2)) });
    expect([await instance().isGenuine(value), await other.isGenuine(value)]).toEqual([true, false]);
    for (const forged of ['', 'A'.repeat(43), `${value}A`, value.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))])
      expect([forged, await instance().isGenuine(forged)]).toEqual([forged, false]);
  });

  it('are given to login tokens alone, once', async () => {
    expect(await session('personal', 'personal')).toBeNull();
    await session('once');
    expect(await instance().begin('once', null, false)).toBeNull();
  });

  it('are replaced once by two instances at the same time, and the former value is accepted for 60 s', async () => {
    const value = (await session('rotated')) ?? '';
    await age('rotated', '13 hours');
    expect(await isDue(value, 'admin')).toBe(true);
    const [one, other] = await Promise.all([instance().rotate('rotated', value, null), instance().rotate('rotated', value, null)]);
    expect([one === other, one === value]).toEqual([true, false]);
    expect(await instance().find(cookieHash(one))).toMatchObject({ isCurrent: true, role: null });
    expect(await isDue(one, null)).toBe(false);
    expect(await instance().find(cookieHash(value))).toMatchObject({ isCurrent: false });
    // Another role rotates again when the former value has had its minute, so that no value is two behind.
    expect(await isDue(one, 'auditor')).toBe(false);
    await age('rotated', '61 seconds');
    expect([await isDue(one, 'auditor'), await isDue(one, null)]).toEqual([true, false]);
    expect([await isAccepted(value), await isAccepted(one)]).toEqual([false, true]);
  });

  it('end with their token', async () => {
    const value = (await session('ended')) ?? '';
    const ending = { actor: { kind: 'user', id: '1' }, commandId: 'c', occurredAt: new Date().toISOString() } as const;
    await new SessionStore(database.pool).beginEnding(1, 'ended', ending);
    expect(await isAccepted(value)).toBe(false);
  });
});

describe('the address of the console in messages', () => {
  const addresses = (publicUrl?: string): ConsoleAddresses => new ConsoleAddresses(database.pool, { publicUrl });
  const at = (host: string, protocol = 'http') => ({ host, protocol });

  it('is where the recipient last signed in, on every instance, and PUBLIC_URL where that is set', async () => {
    await addresses().add(5, null, at('192.0.2.7:3000'));
    await addresses().add(5, null, at('watch.example', 'https'));
    expect(await addresses().of(5)).toBe('https://watch.example');
    expect(await addresses('https://public.example/below').of(5)).toBe('https://public.example/below');
  });

  it('is that of an administrator for people who never signed in, and never one that another person stated', async () => {
    await addresses().add(6, 'auditor', at('forged.example'));
    expect(await addresses().of(7)).toBeNull();
    await addresses().add(1, 'admin', at('127.0.0.1:3000'));
    await addresses().add(6, null, at('forged.example'));
    expect([await addresses().of(7), await addresses().of(6)]).toEqual(['http://127.0.0.1:3000', 'http://forged.example']);
  });
});
