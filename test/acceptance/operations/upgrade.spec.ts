import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrations } from '../../../src/migrations/migration-table.ts';
import { watchledger } from '../../support/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { TestAccounts } from '../../support/test-accounts.ts';
import { Program } from '../../support/program.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { schemaOf, statements } from '../../upgrade/statements.ts';
import { MASTER_KEY, OWNER, TITLE } from '../../upgrade/frozen-world.ts';

const folder = resolve(import.meta.dirname, '../../upgrade');
const releases = readdirSync(folder).filter((name) => name.endsWith('.sql'));

describe.each(releases)('a database of release %s', (file) => {
  const text = readFileSync(join(folder, file), 'utf8');
  let database: TestDatabase;
  let service: TestService;
  let before: readonly object[];

  const rows = async (query: string): Promise<readonly object[]> => (await database.pool.query<object>(query)).rows;
  const run = (...args: readonly string[]) => watchledger({ DATABASE_URL: database.url, MASTER_KEY }, ...args).ran;

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await database.pool.query(text);
    before = await rows('SELECT * FROM log ORDER BY n');
    // Its events and observations are in this database, wherever those of other services of the run are.
    service = await TestService.start({ database, env: { MASTER_KEY, EVENTSTORE_URL: '', OBSERVATIONS_URL: '', RATE_LIMIT: '0' } });
  });
  afterAll(() => service.stop());

  it('is migrated to this version with its events unchanged', async () => {
    expect(before.length).toBeGreaterThan(20);
    expect(await rows('SELECT name FROM migrations ORDER BY id')).toEqual(migrations.map(({ name }) => ({ name })));
    expect((await rows('SELECT * FROM log ORDER BY n')).slice(0, before.length)).toEqual(before);
  });

  it('verifies against its seal, and its read models equal the log', async () => {
    expect(await run('verify')).toMatchObject({ status: 0, out: expect.stringMatching(/^Intact: /) });
    expect(await run('replay')).toMatchObject({ status: 0, out: expect.stringMatching(/^Equal/) });
  });

  it('answers as before: accounts, projects, tests and personal data', async () => {
    const admin = await new TestAccounts(service).anonymous.signIn(ADMIN.email, ADMIN.password);
    const { accounts } = (await admin.get('/accounts')).body as { accounts: { userId: number; name: string | null }[] };
    expect(accounts.map(({ name }) => name)).toContain(OWNER);
    const { events } = (await admin.get('/history?type=ProjectRenamed')).body as { events: { data: { to: string } }[] };
    expect(events.map(({ data }) => data.to)).toEqual([TITLE]);
    const { actor } = ((await admin.get('/history?type=ProjectCreated')).body as { events: { actor: { name: string } }[] }).events[0] ?? {};
    expect(actor?.name).toBe(OWNER);
  });

  it('accepts further writes', async () => {
    const admin = await new TestAccounts(service).admin();
    const project = await new TestAccounts(service).project(admin);
    expect((await admin.api.get(`/project/${project}`)).body).toMatchObject({ url: 'https://example.com' });
  });

  // After an intended change before the release: node test/upgrade/freeze.mjs
  it('was created by migrations that are unchanged', async () => {
    for (const [name, said] of await statements()) if (text.includes(`-- ${name}\n`)) expect(text).toContain(schemaOf(name, said));
    expect((await statements()).filter(([name]) => text.includes(`-- ${name}\n`))).toHaveLength(
      text.match(/^-- \w+\d{13}$/gm)?.length ?? 0,
    );
  });
});

describe('a schema of a later version', () => {
  it('is refused by the start and the commands with one line', async () => {
    const database = await createTestDatabase();
    try {
      await database.pool.query(`INSERT INTO migrations (timestamp, name) VALUES (9999999999999, 'FromTheFuture9999999999999')`);
      const env = { DATABASE_URL: database.url, MASTER_KEY, PORT: '0' };
      const line = /^watchledger: the schema of the database is newer than this program \(FromTheFuture\d+\): [^\n]+\n$/;
      expect(await new Program(env, tmpdir()).ended).toMatchObject({ status: 1, err: expect.stringMatching(line) });
      expect(await watchledger(env, 'accounts', 'list').ran).toMatchObject({ status: 1, out: '', err: expect.stringMatching(line) });
    } finally {
      await database.drop();
    }
  });
});
