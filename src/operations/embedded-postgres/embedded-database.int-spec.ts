import { spawnSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries } from './binaries.ts';
import { EmbeddedDatabase } from './embedded-database.ts';
import { isAlive } from './processes.ts';
import { runAs } from './run-as.ts';

let dataDir: string;
let running: EmbeddedDatabase[];
beforeAll(() => {
  // A folder of mode 0700, as a temporary folder or root's home is. One for all: making a cluster takes longest.
  dataDir = join(mkdtempSync(join(tmpdir(), 'embedded-')), 'data');
});
beforeEach(() => {
  running = [];
});
afterEach(async () => {
  for (const database of running) await database.stop();
});
afterAll(() => {
  rmSync(join(dataDir, '..'), { recursive: true, force: true });
});

const start = async (said: string[] = []): Promise<EmbeddedDatabase> => {
  const database = await EmbeddedDatabase.start({ dataDir, say: (line) => said.push(line) });
  running.push(database);
  return database;
};
const query = async (url: string, sql: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end();
  }
};
const pidFile = (): string => join(dataDir, 'postgres', 'postmaster.pid');
const postmasterPid = (): number => parseInt(readFileSync(pidFile(), 'utf8'), 10);

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 200_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the condition did not come true in 60 s');
    await sleep(20);
  }
}

describe('the embedded database', () => {
  it('keeps its rows, its port and its password over a restart, and sorts by bytes', async () => {
    const first = await start();
    await query(first.url, `CREATE TABLE kept AS SELECT 'here' AS word`);
    expect(
      await query(
        first.url,
        `SELECT datcollate, pg_encoding_to_char(encoding) AS encoding FROM pg_database WHERE datname = current_database()`,
      ),
    ).toEqual([{ datcollate: 'C', encoding: 'UTF8' }]);
    await first.stop();
    const second = await start();
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'SELECT word FROM kept')).toEqual([{ word: 'here' }]);
  });

  it('is durable', async () => {
    const { url } = await start();
    const rows = await query(
      url,
      `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') ORDER BY name`,
    );
    expect(rows.map((row) => row['setting'])).toEqual(['on', 'on', 'on']);
  });

  it('refuses connections without the password, which only the owner can read', async () => {
    const { url } = await start();
    expect(statSync(join(dataDir, 'postgres.json')).mode & 0o777).toBe(0o600);
    const wrong = new URL(url);
    wrong.password = 'guess';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
  });

  it('passes none of the secrets of the service to the database', async () => {
    process.env['MASTER_KEY'] = 'hunter2';
    await start();
    delete process.env['MASTER_KEY'];
    expect(readFileSync(`/proc/${String(postmasterPid())}/environ`, 'utf8')).not.toContain('hunter2');
  });

  it('refuses a second process on the same folder with one line', async () => {
    await start();
    await expect(start()).rejects.toThrow(/^DATA_DIR \S+ is in use by another Watchledger \(process \d+\)[^\n]*$/);
  });

  it('leaves no process and no lock after it stopped', async () => {
    const database = await start();
    const pid = postmasterPid();
    await database.stop();
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(join(dataDir, 'service.lock'))).toBe(false);
  });

  it('restarts a killed Postgres with everything that was committed', async () => {
    const said: string[] = [];
    const { url } = await start(said);
    await query(url, 'CREATE TABLE survives AS SELECT 1 AS one');
    const pid = postmasterPid();
    process.kill(pid, 'SIGKILL');
    await until(async () => (await query(url, 'SELECT one FROM survives').catch(() => [])).length === 1);
    expect(postmasterPid()).not.toBe(pid);
    expect(said.join('\n')).toContain('restarting it');
  });

  it('starts despite a postmaster.pid whose pid belongs to another process', async () => {
    await (await start()).stop();
    writeFileSync(pidFile(), `${String(process.pid)}\n${dataDir}/postgres\n1700000000\n5432\n\n127.0.0.1\n0 0\nready\n`);
    const { url } = await start();
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('starts despite the lock of a container that no longer exists', async () => {
    await (await start()).stop();
    writeFileSync(join(dataDir, 'service.lock'), JSON.stringify({ pid: 2 ** 22 + 1, start: '1', namespace: 'another' }));
    utimesSync(join(dataDir, 'service.lock'), new Date(), new Date(Date.now() - 120_000));
    const { url } = await start();
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('chooses another port when the previous one is in use', async () => {
    const first = await start();
    await first.stop();
    const taken = createServer().listen(Number(new URL(first.url).port), '127.0.0.1');
    try {
      const second = await start();
      expect(new URL(second.url).port).not.toBe(new URL(first.url).port);
      expect(new URL(second.url).password).toBe(new URL(first.url).password);
    } finally {
      taken.close();
    }
  });

  // Root runs it as another user, who could not even find the programs there.
  (process.getuid?.() === 0 ? it : it.skip)('runs as root from a project below a closed folder (skipped for an ordinary user)', () => {
    mkdirSync(join(dataDir, 'closed', 'node_modules'), { recursive: true });
    const native = join(findBinaries().initdb, '../..');
    cpSync(native, join(dataDir, 'closed', 'node_modules', 'native'), { recursive: true, verbatimSymlinks: true });
    chmodSync(join(dataDir, 'closed'), 0o700);
    const initdb = join(dataDir, 'closed', 'node_modules', 'native', 'bin', 'initdb');
    const { file, args } = runAs({ uid: 65534, gid: 65534 }, [initdb])(initdb, ['--version']);
    expect(spawnSync(file, args).stdout.toString()).toMatch(/^initdb \(PostgreSQL\) 18/);
    expect(spawnSync(initdb, ['--version'], { uid: 65534, gid: 65534 }).error).toMatchObject({ code: 'EACCES' });
  });

  it('names the reason when the data folder cannot be used', async () => {
    const file = join(dataDir, 'a-file');
    writeFileSync(file, '');
    await expect(EmbeddedDatabase.start({ dataDir: join(file, 'data') })).rejects.toThrow(/^DATA_DIR \S+ cannot be created: [^\n]+$/);
  });
});
