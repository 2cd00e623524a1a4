import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { canReach } from '../../../src/operations/embedded-postgres/database-user.ts';
import { isAlive } from '../../../src/operations/embedded-postgres/processes.ts';
import { createTestDatabase } from '../../support/database.ts';
import { ConsoleClient } from '../../support/console-client.ts';
import { freePort } from '../../support/free-port.ts';
import { KurrentDbDouble } from '../../support/kurrentdb-double/kurrentdb-double.ts';
import { MAIN, Program } from '../../support/program.ts';
import { isRelease } from '../../support/thorough.ts';
import { until } from '../../support/until.ts';

let folder: string;
let started: Program[] = [];
/** The tests start one installation again and again, because to make its database takes longer than most of them. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'start-'));
});
afterEach(async () => {
  for (const program of started) {
    program.signal('SIGTERM');
    await program.ended;
  }
  started = [];
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function start(env: Readonly<Record<string, string>> = {}, as?: { uid: number; gid: number }): Program {
  const program = new Program({ PORT: '0', DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'info', ...env }, folder, as);
  started.push(program);
  return program;
}

/** A data folder that was never used. */
const unused = (): { DATA_DIR: string } => ({ DATA_DIR: join(mkdtempSync(join(folder, 'other-')), 'data') });

/** The instance's readiness answer, once it is ready or after the deadline. */
async function health(address: string): Promise<unknown> {
  const deadline = Date.now() + 240_000;
  for (;;) {
    const response = await fetch(`${address}/health/ready`);
    const answer: unknown = await response.json();
    if (response.ok || Date.now() > deadline) return answer;
    await new Promise((again) => setTimeout(again, 50));
  }
}

const postmaster = (data = join(folder, 'data')): number => parseInt(readFileSync(join(data, 'postgres', 'postmaster.pid'), 'utf8'), 10);
const ROOT = process.getuid?.() === 0;
const UNPRIVILEGED = { uid: 65534, gid: 65534 };
const mayTry = ROOT && canReach(UNPRIVILEGED, dirname(MAIN));

const HAS_CURL = spawnSync('curl', ['--version']).status === 0;
/** The effect of the curl line, for machines without curl. */
async function withoutCurl(line: string): Promise<string> {
  const [, projects = '', signIn = '', body = ''] = /^curl -s (\S+) .*\$\(curl -s (\S+) .* -d '(.*)'\)"$/.exec(line) ?? [];
  const token = await (await fetch(signIn, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).text();
  return (await fetch(projects, { headers: { authorization: `Bearer ${token}` } })).text();
}

describe('a start without configuration', () => {
  // The first, because it starts with an empty data folder.
  it('prints address, docs, the first account and a working first request, the password only once, and a link to the console until it is used', async () => {
    chmodSync(folder, 0o700);
    const first = start();
    const address = await first.ready();
    const greetingOf = (out: string): string => /^Watchledger is ready on[^]*^ {2}curl .*\n/m.exec(out)?.[0] ?? '';
    // Printed after the log line with the address.
    await until(() => Promise.resolve(greetingOf(first.out) !== ''), 10_000, 'the greeting');
    const greeting = greetingOf(first.out);
    // The log leaves out the wiring of the framework, which it recognises by the names of Nest's classes.
    expect(first.out).not.toMatch(/dependencies initialized|Mapped \{/);
    expect(greeting).toContain(`${address}/docs`);
    expect(greeting).toContain('admin@watchledger.local');
    const line = /^ {2}(curl .*)$/m.exec(greeting)?.[1] ?? '';
    const { stdout } = HAS_CURL ? spawnSync('sh', ['-c', line], { encoding: 'utf8' }) : { stdout: await withoutCurl(line) };
    expect(JSON.parse(stdout)).toMatchObject({ projects: [] });
    first.signal('SIGTERM');
    await first.ended;
    const second = start();
    const again = await second.ready();
    const linkIn = (out: string): string => /\/console\/welcome#link=(\S+)/.exec(out)?.[1] ?? '';
    await until(() => Promise.resolve(linkIn(second.out) !== ''), 10_000, 'another link');
    // It stands in no line of the log, which has JSON.
    expect(first.out.split('\n').filter((text) => text.includes('{') && text.includes(linkIn(first.out)))).toEqual([]);
    const browser = ConsoleClient.at(again);
    expect((await browser.post('/session/link', { link: linkIn(second.out) })).body).toMatchObject({ passwordNeeded: true });
    expect((await ConsoleClient.at(again).post('/session/link', { link: linkIn(first.out) })).status).toBe(400);
    const password = /"password":"([^"]+)"/.exec(line)?.[1] ?? '';
    expect(password.length).toBeGreaterThan(10);
    expect(second.out).not.toContain(password);
  });

  it(`starts an embedded database as ${ROOT ? 'root' : 'an ordinary user'} below a folder of mode 0700, which no other process may use, and leaves no process behind`, async () => {
    const program = start();
    const address = await program.ready();
    expect(await health(address)).toMatchObject({ ready: true, parts: { database: 'ok' } });
    const { status, err } = await start().ended;
    expect(status).toBe(1);
    expect(err).toMatch(
      new RegExp(`^watchledger: DATA_DIR \\S+ is in use by another Watchledger \\(process ${String(program.pid)}\\)[^\\n]*\\n$`),
    );
    const pid = postmaster();
    program.signal('SIGTERM');
    expect(await program.ended).toMatchObject({ status: 0, err: '' });
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(join(folder, 'data', 'service.lock'))).toBe(false);
  });

  if (isRelease)
    it('says that the read models are filled by another role', async () => {
      const database = await createTestDatabase();
      const checker = start({ DATABASE_URL: database.url, MASTER_KEY: 'ab'.repeat(32), ROLES: 'checker' });
      const line = 'waiting for the read models, which an instance of this version with the role projector fills';
      await until(() => Promise.resolve(checker.out.includes(line)), 15_000, 'the line that says so');
      checker.signal('SIGTERM');
      expect(await checker.ended).toMatchObject({ status: 0, err: '' });
      await database.drop();
    });

  it('continues when the reader of its output ends, and ends on Ctrl-C', async () => {
    const port = await freePort();
    const program = start({ PORT: String(port) });
    program.deafen();
    await until(
      () =>
        fetch(`http://127.0.0.1:${String(port)}/health/ready`).then(
          ({ ok }) => ok,
          () => false,
        ),
      60_000,
      'a service without a listener',
    );
    const pid = postmaster();
    program.signal('SIGINT');
    expect(await program.ended).toMatchObject({ status: 0, err: '' });
    expect(isAlive(pid)).toBe(false);
  });

  if (isRelease) {
    it('shuts down cleanly while it is starting', async () => {
      const { DATA_DIR } = unused();
      const program = start({ DATA_DIR });
      const hasDatabase = (): boolean => existsSync(join(DATA_DIR, 'postgres', 'postmaster.pid')) && postmaster(DATA_DIR) > 0;
      await until(() => Promise.resolve(hasDatabase()), 15_000, 'a database that starts');
      const pid = postmaster(DATA_DIR);
      program.signal('SIGTERM');
      expect((await program.ended).status).toBe(0);
      expect(isAlive(pid)).toBe(false);
    });

    it('retries when the database disconnects during the start', async () => {
      const database = await createTestDatabase();
      const blocking = await database.pool.connect();
      await blocking.query('SELECT pg_advisory_lock(727001)');
      const program = start({ DATABASE_URL: database.url, MASTER_KEY: 'ab'.repeat(32) });
      const cut = async (): Promise<boolean> =>
        (
          await blocking.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_try_advisory_lock($1)%' AND pid <> pg_backend_pid()`,
          )
        ).rowCount === 1;
      await until(cut, 15_000, 'a service that waits for its turn to look at the schema');
      await blocking.query('SELECT pg_advisory_unlock(727001)');
      blocking.release();
      await program.ready();
      program.signal('SIGTERM');
      expect((await program.ended).status).toBe(0);
      await database.drop();
    });

    (mayTry ? it : it.skip)(`as an ordinary user (skipped unless root runs the tests and others may read the project)`, async () => {
      chmodSync(folder, 0o755);
      const { DATA_DIR } = unused();
      chownSync(dirname(DATA_DIR), UNPRIVILEGED.uid, UNPRIVILEGED.gid);
      const program = start({ DATA_DIR }, UNPRIVILEGED);
      expect(await health(await program.ready())).toMatchObject({ ready: true });
    });

    it('shuts down cleanly while the read models are being filled', async () => {
      const database = await createTestDatabase();
      const env = { DATABASE_URL: database.url, MASTER_KEY: 'ab'.repeat(32) };
      const first = start(env);
      await first.ready();
      first.signal('SIGTERM');
      await first.ended;
      const other = await database.pool.connect();
      await other.query(`UPDATE projection SET state = 'building'`);
      await other.query(
        `INSERT INTO lease (name, holder, epoch, heartbeat, pid)
       SELECT 'projection ' || schema, 'another', 1000, now() + interval '1 hour', pg_backend_pid() FROM projection
       ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, epoch = excluded.epoch, heartbeat = excluded.heartbeat, pid = excluded.pid`,
      );
      const second = start(env);
      const asks = async (): Promise<boolean> =>
        (
          await other.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%projection%state NOT IN%' AND pid <> pg_backend_pid()`,
          )
        ).rowCount !== 0;
      await until(asks, 15_000, 'a service that waits for its read models');
      second.signal('SIGTERM');
      expect(await second.ended).toMatchObject({ status: 0, err: '' });
      other.release();
      await database.drop();
    });

    it('starts with the same database after kill -9', async () => {
      const first = start();
      await first.ready();
      const { port } = JSON.parse(readFileSync(join(folder, 'data', 'postgres.json'), 'utf8')) as { port: number };
      first.signal('SIGKILL');
      await first.ended;
      const second = start();
      expect(await health(await second.ready())).toMatchObject({ ready: true });
      expect(JSON.parse(readFileSync(join(folder, 'data', 'postgres.json'), 'utf8'))).toMatchObject({ port });
    });
  }
});

if (isRelease)
  describe('OpenTelemetry', () => {
    /** Prints the packages in memory. */
    const PRINTING = `
    import { createRequire } from 'node:module';
    const { cache } = createRequire('${MAIN}');
    const names = () => Object.keys(cache).flatMap((path) => /@opentelemetry[/]([^/]+)/.exec(path)?.[1] ?? []);
    process.on('SIGUSR2', () => console.log('loaded: ' + JSON.stringify([...new Set(names())])));`;
    // The metrics of prom-client know the API, which has no exporter.
    const WITHOUT = [{}, ['api']] as const;
    const WITH = [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
      expect.arrayContaining(['sdk-trace', 'exporter-trace-otlp-http']),
    ] as const;

    it.each<readonly [object, unknown]>([WITHOUT, WITH])('is loaded only where an endpoint is set: %j', async (env, names) => {
      const database = await createTestDatabase();
      const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(PRINTING)}`;
      const program = start({ DATABASE_URL: database.url, MASTER_KEY: 'ab'.repeat(32), NODE_OPTIONS, ...env });
      await program.ready();
      program.signal('SIGUSR2');
      const loaded = (): string | undefined => /^loaded: (.*)$/m.exec(program.out)?.[1];
      await until(() => Promise.resolve(loaded() !== undefined), 10_000, 'the names of the packages');
      expect(JSON.parse(loaded() ?? '')).toEqual(names);
      program.signal('SIGTERM');
      await program.ended;
      await database.drop();
    });
  });

describe('a refused start', () => {
  it('lists every configuration error, one per line, and exits with status 2', async () => {
    const { DATA_DIR } = unused();
    const wrong = { PORT: 'x', ROLES: 'cook', RETENTION_DAYS: '0', OTEL_EXPORTER_OTLP_ENDPOINT: 'here' };
    const { status, out, err } = await start({ DATA_DIR, ...wrong }).ended;
    expect({ status, out }).toEqual({ status: 2, out: '' });
    const lines = err.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    for (const name of ['PORT', 'ROLES', 'RETENTION_DAYS', 'OTEL_EXPORTER_OTLP_ENDPOINT'])
      expect(lines.filter((line) => line.includes(`${name}: must be`))).toHaveLength(1);
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  if (isRelease) {
    (mayTry ? it : it.skip)('says in one line that the data folder cannot be written (skipped like the one above)', async () => {
      const { status, err } = await start({ DATA_DIR: folder }, UNPRIVILEGED).ended;
      expect(status).toBe(1);
      expect(err).toMatch(/^watchledger: DATA_DIR \S+ (cannot be written|cannot be created): EACCES[^\n]*\n$/);
    });
  }

  if (isRelease)
    it('reports in one line that the database is unreachable', async () => {
      const { status, err } = await start({ DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/mine', MASTER_KEY: 'ab'.repeat(32) }).ended;
      expect(status).toBe(1);
      expect(err).toMatch(/^watchledger: the database of DATABASE_URL \(127\.0\.0\.1, port 1\) refuses the connection: [^\n]*\n$/);
      expect(err).not.toContain('hunter2');
    });

  it('reports in one line why the event store is unusable', async () => {
    const double = await KurrentDbDouble.start();
    double.faults.refusal = 'unknown user';
    const database = await createTestDatabase();
    const env = { DATABASE_URL: database.url, MASTER_KEY: 'ab'.repeat(32), EVENTSTORE_URL: double.url };
    const { status, err } = await start(env).ended;
    const misspelt = await start({ ...env, EVENTSTORE_URL: 'esdb://me:hunter2@127.0.0.1:2113?tls=perhaps' }).ended;
    await Promise.all([double.stop(), database.drop()]);
    expect({ status, err }).toEqual({
      status: 1,
      err: 'watchledger: the event store refuses the user or password in EVENTSTORE_URL (16 UNAUTHENTICATED: Unauthenticated)\n',
    });
    expect(misspelt.status).toBe(1);
    expect(misspelt.err).toMatch(/^watchledger: EVENTSTORE_URL cannot be used \(Unexpected "perhaps"[^\n]*\)\n$/);
    expect(misspelt.err).not.toContain('hunter2');
  });

  it('reports in one line that the port is in use, before changing anything', async () => {
    const taken = createServer();
    await new Promise<void>((listening) => taken.listen(0, '127.0.0.1', listening));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    const { DATA_DIR } = unused();
    const { status, out, err } = await start({ DATA_DIR, PORT: port }).ended;
    taken.close();
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toBe(
      `watchledger: cannot listen on 127.0.0.1, port ${port}: the port is in use. Stop the other program, or set another PORT\n`,
    );
    expect(existsSync(DATA_DIR)).toBe(false);
  });
});
