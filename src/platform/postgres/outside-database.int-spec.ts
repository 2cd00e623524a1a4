import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { refuseUnfitDatabase } from './outside-database.ts';
import { StartRefused } from '../../kernel/start-refused.ts';

const name = `unfit_${randomBytes(6).toString('hex')}`;
let database: TestDatabase;
let admin: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
});
afterAll(async () => {
  await admin.query(`DROP DATABASE IF EXISTS ${name}_bytes WITH (FORCE)`);
  await admin.query(`REVOKE ALL ON SCHEMA public FROM ${name}`).catch(() => undefined);
  await admin.query(`REVOKE ALL ON DATABASE ${new URL(database.url).pathname.slice(1)} FROM ${name}`).catch(() => undefined);
  await admin.query(`DROP ROLE IF EXISTS ${name}`);
  await admin.end();
  await database.drop();
});

const urlWith = (change: (url: URL) => void): string => {
  const url = new URL(database.url);
  change(url);
  return url.href;
};
const refusal = async (url: string): Promise<string> => {
  const error: unknown = await refuseUnfitDatabase(url, { unreachableMs: 0, startingMs: 0 }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StartRefused);
  return error instanceof StartRefused ? error.message : '';
};

describe('the database of DATABASE_URL', () => {
  it('is accepted when the role may create schemas and tables', async () => {
    await expect(refuseUnfitDatabase(database.url)).resolves.toBeUndefined();
  });

  it('is refused in one line, without its password, when the connection fails', async () => {
    const wrong = await refusal(urlWith((url) => (url.password = 'hunter2')));
    expect(wrong).toMatch(
      /^the database of DATABASE_URL \(127\.0\.0\.1, port \d+\) refuses the connection: password authentication failed/,
    );
    expect(wrong).not.toContain('hunter2');
    const away = await refusal(
      urlWith((url) => {
        url.hostname = 'localhost';
        url.port = '1';
      }),
    );
    expect(away).toMatch(/\(localhost, port 1\) refuses the connection: .*ECONNREFUSED/);
    expect(await refusal(urlWith((url) => (url.pathname = '/nowhere')))).toContain('"nowhere" does not exist');
  });

  it('is refused when its text is not UTF-8', async () => {
    await admin.query(`CREATE DATABASE ${name}_bytes TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'`);
    expect(await refusal(urlWith((url) => (url.pathname = `/${name}_bytes`)))).toContain('its encoding is SQL_ASCII');
  });

  it('is refused with the missing GRANT, and waited for while it accepts no connections', async () => {
    const own = new URL(database.url).pathname.slice(1);
    await admin.query(`CREATE ROLE ${name} LOGIN PASSWORD 'guest'`);
    const url = urlWith((one) => {
      one.username = name;
      one.password = 'guest';
    });
    expect(await refusal(url)).toContain(`GRANT CREATE ON DATABASE "${own}" TO "${name}"`);
    await admin.query(`GRANT CREATE ON DATABASE ${own} TO ${name}`);
    expect(await refusal(url)).toContain(`GRANT CREATE ON SCHEMA public TO "${name}"`);
    await admin.query(`GRANT CREATE ON SCHEMA public TO ${name}`);
    await expect(refuseUnfitDatabase(url)).resolves.toBeUndefined();
    // Like a server that is starting: it accepts no connection yet.
    await admin.query(`ALTER ROLE ${name} CONNECTION LIMIT 0`);
    expect(await refusal(url)).toContain('too many connections');
    const waiting = refuseUnfitDatabase(url);
    await sleep(400);
    await admin.query(`ALTER ROLE ${name} CONNECTION LIMIT -1`);
    await expect(waiting).resolves.toBeUndefined();
  });
});
