import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApiClient } from '../../support/api-client.ts';
import { watchledger } from '../../support/command-line.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { Program } from '../../support/program.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { TestAccounts } from '../../support/test-accounts.ts';
import { OWNER, TITLE, use } from '../../upgrade/used-installation.ts';

const SECOND_VERSION = resolve(import.meta.dirname, '../../upgrade/second-version.mjs');
const ADDED = 'AddHints1800000000000';
const HINTS = 'SELECT DISTINCT hint FROM passwords';
const MASTER_KEY = '5a'.repeat(32);
// Its events and observations are in this database, wherever those of other services of the run are.
const own = { MASTER_KEY, EVENTSTORE_URL: '', OBSERVATIONS_URL: '', RATE_LIMIT: '0' };

describe('an upgrade to a second version', () => {
  let database: TestDatabase;
  let folder: string;
  let before: readonly object[];
  let instances: readonly Program[];
  let url: string;

  const rows = async (query: string): Promise<readonly object[]> => (await database.pool.query<object>(query)).rows;
  const second = async (of: TestDatabase, ...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [SECOND_VERSION, ...args], { env: { ...own, DATABASE_URL: of.url } })).stdout;
  const signIn = (): Promise<ApiClient> => new ApiClient(url, null).signIn(ADMIN.email, ADMIN.password);

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'watchledger-upgrade-'));
    const first = await TestService.start({
      database,
      env: { ...own, REGISTRATION: 'open', ALLOW_TARGETS: '127.0.0.0/8', ALLOW_HOOKS: '127.0.0.0/8' },
    });
    await use(first.url, database.pool);
    expect(await watchledger({ ...own, DATABASE_URL: database.url }, 'backup', join(folder, 'backup')).ran).toMatchObject({ status: 0 });
    await first.terminate();
    before = await rows('SELECT * FROM log ORDER BY n');
    const env = { ...own, DATABASE_URL: database.url, PORT: '0', DATA_DIR: folder };
    instances = [1, 2].map(() => new Program(env, folder, {}, SECOND_VERSION));
    [url = ''] = await Promise.all(instances.map((instance) => instance.ready()));
  });
  afterAll(async () => {
    for (const instance of instances) instance.signal('SIGTERM');
    await Promise.all(instances.map(({ ended }) => ended));
    await database.drop();
    await rm(folder, { recursive: true });
  });

  it('is made by one of two instances that start together, and leaves the events unchanged', async () => {
    expect(instances.map(({ out }) => out.split(`"migrations":["${ADDED}"]`).length - 1).toSorted()).toEqual([0, 1]);
    expect(await rows(HINTS)).toEqual([{ hint: 'none' }]);
    expect(before.length).toBeGreaterThan(20);
    expect((await rows('SELECT * FROM log ORDER BY n')).slice(0, before.length)).toEqual(before);
  });

  it('is not started again by the first version', async () => {
    const env = { ...own, DATABASE_URL: database.url, PORT: '0' };
    const line = `watchledger: the schema of the database is newer than this program (${ADDED}): start the version that created it, or a later one\n`;
    expect(await new Program(env, folder).ended).toMatchObject({ status: 1, err: line });
    expect(await watchledger(env, 'accounts', 'list').ran).toMatchObject({ status: 1, out: '', err: line });
  });

  it('verifies against its seal, and its read models equal the log', async () => {
    expect(await second(database, 'verify')).toMatch(/^Intact: /);
    expect(await second(database, 'replay')).toMatch(/^Equal/);
  });

  it('answers as before: accounts, projects, tests and personal data', async () => {
    const admin = await signIn();
    const { accounts } = (await admin.get('/accounts')).body as { accounts: { userId: number; name: string | null }[] };
    expect(accounts.map(({ name }) => name)).toContain(OWNER);
    const { events } = (await admin.get('/history?type=ProjectRenamed')).body as { events: { data: { to: string } }[] };
    expect(events.map(({ data }) => data.to)).toEqual([TITLE]);
    const { actor } = ((await admin.get('/history?type=ProjectCreated')).body as { events: { actor: { name: string } }[] }).events[0] ?? {};
    expect(actor?.name).toBe(OWNER);
  });

  it('accepts further writes', async () => {
    const people = new TestAccounts({ url, database });
    const admin = await people.admin();
    const project = await people.project(admin);
    expect((await admin.api.get(`/project/${project}`)).body).toMatchObject({ url: 'https://example.com' });
  });

  it('restores a backup of the first version', async () => {
    const target = await createEmptyDatabase();
    try {
      const { events } = JSON.parse(await second(target, 'restore', join(folder, 'backup'), '--json')) as { events: number };
      expect(events).toBeGreaterThan(20);
      expect((await target.pool.query<object>('SELECT * FROM log ORDER BY n')).rows).toEqual(before.slice(0, events));
      expect((await target.pool.query<object>(HINTS)).rows).toEqual([{ hint: 'none' }]);
      expect(await second(target, 'verify')).toMatch(/^Intact: /);
    } finally {
      await target.drop();
    }
  });
});
