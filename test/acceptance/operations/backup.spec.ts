import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '../../support/api-client.ts';
import { watchledger, type Ran } from '../../support/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { KurrentDbDouble } from '../../support/kurrentdb-double/kurrentdb-double.ts';
import { askReceipt } from '../../support/receipt-of.ts';
import { PASSWORD, TestAccounts, type TestAccount } from '../../support/test-accounts.ts';
import { isRelease } from '../../support/thorough.ts';
import { Program } from '../../support/program.ts';
import { ADMIN, TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const MASTER_KEY = 'ef'.repeat(32);
/** Each test chooses its engine. */
const env = { REGISTRATION: 'open', RATE_LIMIT: '0', MASTER_KEY, EVENTSTORE_URL: '' };

let folder: string;
const fileOf = (name: string): string => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'watchledger-backup-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function emptyDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await database.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  return database;
}

const on = (database: TestDatabase, more: Readonly<Record<string, string>> = {}) => {
  return (...args: readonly string[]): Promise<Ran> => watchledger({ DATABASE_URL: database.url, MASTER_KEY, ...more }, ...args).ran;
};

/** Renames a project repeatedly until stopped; returns the number of acknowledged renames. */
function load(api: ApiClient, project: string): () => Promise<number> {
  let [going, renamed] = [true, 0];
  const work = async (): Promise<void> => {
    while (going) if ((await api.put(`/project/${project}`, { title: `Title ${String(renamed + 1)}` })).status === 200) renamed += 1;
  };
  const running = Promise.all([work(), work()]);
  return async () => {
    going = false;
    await running;
    return renamed;
  };
}

describe('a backup of a running service', () => {
  let live: TestService;
  let restored: TestService;
  let database: TestDatabase;
  let ada: TestAccount;
  let erased: TestAccount;
  let late: TestAccount;
  let project: string;
  let receipts: string;
  let taken: { events: number };
  let answer: { events: number; lost: { from: number; to: number } | null; erasing: number[] };

  beforeAll(async () => {
    live = await TestService.start({ env });
    const people = new TestAccounts(live);
    ada = await people.register('ada');
    erased = await people.register('erased');
    project = await people.project(ada);
    const stop = load(ada.api, project);
    await until(async () => (await live.database.pool.query('SELECT FROM log')).rows.length > 40, 20_000);
    receipts = await mkdtemp(join(tmpdir(), 'watchledger-receipts-'));
    for (const [at, path] of [`/project/${project}`, `/project/${project}/objective`, '/projects'].entries())
      await writeFile(join(receipts, String(at)), await askReceipt(ada.api, live.url, path));
    const ran = await on(live.database)('backup', fileOf('b'), '--json');
    expect([ran.status, ran.err]).toEqual([0, '']);
    taken = JSON.parse(ran.out) as typeof taken;
    // Changes after the backup: a title, an erased account, a new account.
    const { rows } = await live.database.pool.query<{ n: string }>('SELECT max(n) AS n FROM log');
    await until(async () => (await live.database.pool.query('SELECT FROM log WHERE n > $1', [rows[0]?.n])).rows.length > 20, 20_000);
    late = await people.register('late');
    expect(await on(live.database)('accounts', 'erase', erased.email, '--yes')).toMatchObject({ status: 0 });
    expect(await stop()).toBeGreaterThan(20);
    await until(async () => (await sealed(live.database)) > taken.events, 20_000, 'more is sealed than was copied');
    expect(await on(live.database)('backup', '--only-keys', '--keys', fileOf('b.keys'))).toMatchObject({ status: 0 });

    database = await emptyDatabase();
    const back = await on(database)('restore', fileOf('b'), '--json');
    expect([back.status, back.err]).toEqual([0, expect.stringContaining('are lost')]);
    answer = JSON.parse(back.out) as typeof answer;
    restored = await TestService.start({ env, database });
  });
  afterAll(async () => {
    await restored.stop();
    await live.stop();
    await rm(receipts, { recursive: true, force: true });
  });

  const sealed = async ({ pool }: TestDatabase): Promise<number> =>
    Number((await pool.query<{ size: string }>('SELECT max(size) AS size FROM ledger_checkpoint')).rows[0]?.size ?? 0);

  it('is written as two files with mode 0600, data and keys', async () => {
    for (const name of ['b', 'b.keys']) expect((await stat(fileOf(name))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['b', 'b.keys']);
    expect((await readFile(fileOf('b'))).includes(Buffer.from(ada.email))).toBe(false);
  });

  it('restores the data as it was sealed', async () => {
    expect(answer).toMatchObject({ events: taken.events, lost: { to: taken.events } });
    const verified = await on(database)('verify', '--json');
    expect([verified.status, JSON.parse(verified.out)]).toEqual([0, expect.objectContaining({ intact: true, givenUp: 1 })]);
    const before = await live.database.pool.query('SELECT * FROM log WHERE n < $1 ORDER BY n', [taken.events]);
    expect((await database.pool.query('SELECT * FROM log WHERE n < $1 ORDER BY n', [taken.events])).rows).toEqual(before.rows);
  });

  it('continues sealing, and a later checkpoint shows the declared loss', async () => {
    const { from, to } = answer.lost ?? { from: 0, to: 0 };
    // The original installation continues to sign checkpoints that the restored one cannot know.
    const signed = 'SELECT note FROM ledger_checkpoint WHERE size = $1 ORDER BY number DESC LIMIT 1';
    const { rows } = await live.database.pool.query<{ note: string }>(signed, [from]);
    await until(async () => (await on(database)('seal', 'status')).status === 0, 10_000);
    const [declared] = (await database.pool.query<{ data: string }>(`SELECT data FROM log WHERE type = 'LogTruncated'`)).rows;
    expect(JSON.parse(declared?.data ?? '{}')).toEqual({
      ...{ from, to, reason: expect.stringContaining('restored from a backup') },
      ...{ origin: expect.stringMatching(/\/ledger\/2$/), lastCheckpoint: rows[0]?.note },
    });
    // What is sealed anew needs a witness that never saw the lost events.
    expect((await on(database)('seal', 'status')).out).toContain('/ledger/2: ');
    const kept = fileOf('kept.note');
    await writeFile(kept, rows[0]?.note ?? '');
    expect(await on(database)('verify', '--checkpoint', kept)).toMatchObject({ status: 0 });
    await rm(kept);
  });

  it('restores read models equal to the fold of the log', async () => {
    const replay = await on(database)('replay', '--json');
    expect([replay.status, JSON.parse(replay.out)]).toEqual([
      0,
      { equal: true, replayed: ['core', 'as_of_snapshot', 'stream_snapshot'], differences: [] },
    ]);
    const again = await new TestAccounts(restored).anonymous.signIn(ada.email, PASSWORD);
    const { body } = await again.get(`/project/${project}`);
    expect(body).toMatchObject({ title: expect.stringMatching(/^Title \d+$/), url: 'https://example.com' });
    const titles = (await again.get(`/project/${project}/history?type=ProjectRenamed&limit=1`)).body.events as { data: { to: string } }[];
    expect(titles[0]?.data.to).toBe(body.title);
  });

  it('computes answers again that were signed before the backup, under a key of the former origin', async () => {
    const files = (await readdir(receipts)).map((file) => join(receipts, file));
    const computed = await Promise.all(files.map((file) => on(database, { EVENTSTORE_URL: '' })('recompute', file)));
    expect(computed).toMatchObject([0, 1, 2].map(() => ({ status: 0, out: expect.stringContaining('the same to the byte') })));
  });

  it('restores neither accounts erased since nor accounts created later', async () => {
    expect(answer.erasing).toEqual([erased.userId]);
    const { anonymous } = new TestAccounts(restored);
    for (const { email } of [erased, late]) expect((await anonymous.post('/authenticate', { email, password: PASSWORD })).status).toBe(401);
    const { rows } = await database.pool.query('SELECT wrapped FROM subject_keys WHERE subject = $1', [`account-${String(erased.userId)}`]);
    expect(rows).toEqual([{ wrapped: null }]);
    await until(
      async () =>
        (await database.pool.query(`SELECT FROM log WHERE type = 'AccountErased' AND scope = $1`, [`account-${String(erased.userId)}`]))
          .rowCount === 1,
      90_000,
      'the erasure is finished',
    );
  });

  it('accepts writes, accounts and another backup after the restore', async () => {
    const next = await new TestAccounts(restored).register('next');
    expect(next.userId).toBeGreaterThan(erased.userId);
    expect(
      (await (await new TestAccounts(restored).anonymous.signIn(ada.email, PASSWORD)).put(`/project/${project}`, { title: 'On' })).status,
    ).toBe(200);
    expect(await on(database)('backup', fileOf('second'))).toMatchObject({ status: 0 });
    expect(await on(database)('restore', fileOf('second'), '--check')).toMatchObject({ status: 0, out: expect.stringMatching(/^Whole: /) });
    await Promise.all(['second', 'second.keys'].map((name) => rm(fileOf(name))));
  });

  it('refuses wrong input with one line', async () => {
    const one = (ran: Ran): unknown => [ran.status, ran.out, ran.err.trim().split('\n').length];
    expect(one(await on(database)('restore', fileOf('b')))).toEqual([1, '', 1]);
    expect(one(await on(database)('restore', fileOf('nothing')))).toEqual([1, '', 1]);
    expect(one(await on(database)('backup', '/nowhere/at/all'))).toEqual([1, '', 1]);
    expect(one(await on(database, { MASTER_KEY: '00'.repeat(32) })('restore', fileOf('b'), '--check'))).toEqual([1, '', 1]);
    for (const args of [['backup'], ['backup', 'x', '--keys', 'x'], ['restore'], ['restore', 'x', '--erased', 'all']])
      expect(await on(database)(...args)).toMatchObject({ status: 2, out: '' });
  });
});

if (isRelease) {
  describe('with the embedded database', () => {
    it('is taken beside the running service and restored into another data folder', async () => {
      const from = { DATA_DIR: fileOf('from'), PORT: '0', ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password };
      const service = new Program(from, folder);
      await service.ready();
      expect(await watchledger(from, 'backup', fileOf('e')).ran).toMatchObject({ status: 0 });
      service.signal('SIGTERM');
      await service.ended;
      const key = (await readFile(join(from.DATA_DIR, 'master.key'), 'utf8')).trim();
      const to = { ...from, DATA_DIR: fileOf('to') };
      expect(await watchledger(to, 'restore', fileOf('e')).ran).toMatchObject({ status: 1, err: expect.stringContaining('master key') });
      const env = { ...to, MASTER_KEY: key };
      expect(await watchledger(env, 'restore', fileOf('e')).ran).toMatchObject({ status: 0 });
      expect(await watchledger(env, 'verify').ran).toMatchObject({ status: 0 });
      const again = new Program(env, folder);
      const url = await again.ready();
      expect(again.out).not.toContain('first account');
      await new TestAccounts({ url }).anonymous.signIn(ADMIN.email, ADMIN.password);
      expect(await watchledger(env, 'replay').ran).toMatchObject({ status: 0 });
      again.signal('SIGTERM');
      await again.ended;
    });
  });

  describe('with an event store', () => {
    let double: KurrentDbDouble;
    let kurrent: Record<string, string>;
    let service: TestService;
    let restored: TestService;
    let database: TestDatabase;
    let ada: TestAccount;
    let later: TestAccount;
    let keyDestroyed: TestAccount;
    let project: string;

    beforeAll(async () => {
      double = await KurrentDbDouble.start();
      kurrent = { ...env, EVENTSTORE_URL: double.url };
      service = await TestService.start({ env: kurrent });
      const people = new TestAccounts(service);
      ada = await people.register('ada');
      project = await people.project(ada);
      const ran = await on(service.database, kurrent)('backup', fileOf('k'));
      expect([ran.status, ran.err]).toEqual([0, expect.stringContaining('back it up after this')]);
      await ada.api.put(`/project/${project}`, { title: 'After the backup' });
      later = await people.register('later');
      await people.project(later);
      expect(await on(service.database, kurrent)('backup', '--only-keys', '--keys', fileOf('k.keys'))).toMatchObject({ status: 0 });
      keyDestroyed = await people.register('keyDestroyed');
      await service.kill();
      database = await emptyDatabase();
      expect(await on(database)('restore', fileOf('k'))).toMatchObject({ status: 1, err: expect.stringContaining('set EVENTSTORE_URL') });
      expect(await on(database, kurrent)('restore', fileOf('k'))).toMatchObject({ status: 0 });
      restored = await TestService.start({ env: kurrent, database });
    });
    afterAll(async () => {
      await restored.stop();
      await service.stop();
      await double.stop();
    });

    it('holds the log so far and reads the rest from the event store', async () => {
      const again = await new TestAccounts(restored).anonymous.signIn(ada.email, PASSWORD);
      await until(async () => (await again.get(`/project/${project}`)).body.title === 'After the backup', 20_000);
      expect(await on(database, kurrent)('verify')).toMatchObject({ status: 0 });
      expect(await on(database, kurrent)('replay')).toMatchObject({ status: 0 });
    });

    it('never reuses an account id that the event store knows', async () => {
      const next = await new TestAccounts(restored).register('next');
      expect(next.userId).toBeGreaterThan(keyDestroyed.userId);
      expect((await next.api.get('/projects')).body).toMatchObject({ projects: [] });
    });

    it('restores an account created between the data and the key backup', async () => {
      // An earlier attempt would use up the login rate limit.
      const known = (): Promise<boolean> => Promise.resolve(restored.log.some((line) => line.includes('claims rebuilt from the log')));
      await until(known, 30_000, 'an account from after the backup');
      expect((await new TestAccounts(restored).anonymous.post('/authenticate', { email: later.email, password: PASSWORD })).status).toBe(
        200,
      );
      const { rows } = await database.pool.query<{ places: number }>(
        `SELECT count(*)::int AS places FROM claim WHERE kind = 'project-slot' AND owner = $1 AND expires IS NULL`,
        [String(later.userId)],
      );
      expect(rows).toEqual([{ places: 1 }]);
    });

    it('names accounts created after the key backup, whose keys are lost', async () => {
      const found = expect.stringContaining(`account ${String(keyDestroyed.userId)}`);
      const doctor = await on(database, kurrent)('doctor', '--json');
      expect(JSON.parse(doctor.out)).toMatchObject({
        findings: expect.arrayContaining([expect.objectContaining({ name: 'keys', state: 'warn', found })]),
      });
      await until(
        () =>
          Promise.resolve(
            restored.log.some((line) => line.includes('accounts without a key') && line.includes(String(keyDestroyed.userId))),
          ),
        20_000,
      );
    });

    it('refuses to start with Postgres as engine', async () => {
      const { EVENTSTORE_URL: _, ...without } = kurrent;
      const refused = { status: 1, err: expect.stringContaining('set EVENTSTORE_URL') };
      expect(await watchledger({ DATABASE_URL: database.url, ...without }, 'accounts', 'create', 'x@example.test').ran).toMatchObject(
        refused,
      );
      expect(await watchledger({ DATABASE_URL: database.url, ...without }, 'backup', fileOf('wrong')).ran).toMatchObject(refused);
      const program = new Program({ DATABASE_URL: database.url, PORT: '0', ...without, EVENTSTORE_URL: '' }, folder);
      expect(await program.ended).toMatchObject({ status: 1 });
    });
  });
}
