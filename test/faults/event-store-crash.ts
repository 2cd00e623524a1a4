import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { EmbeddedDatabase } from '../../src/operations/embedded-postgres/embedded-database.ts';
import { migrate } from '../../src/app/migration-table.ts';

interface Acknowledged {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly position: string;
}

/** The embedded database is restarted after at most this many crashes per minute; beyond that the test stops and starts it. */
const DEATHS = 4;

/**
 * Kills writers and Postgres at random, and verifies after each round that every acknowledged append is present once at its position and that the log
 * has no gap. Throws at the first violation. Returns how often Postgres died.
 */
export async function crashEventStoreAtRandom(
  rounds: number,
  random: () => number,
  say: (line: string) => void,
): Promise<{ readonly service: number; readonly postgres: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'watchledger-faults-'));
  const dataDir = join(folder, 'data');
  let database = await EmbeddedDatabase.start({ dataDir });
  const acknowledged: Acknowledged[] = [];
  let writer: Writer | undefined;
  let [deaths, postgres] = [0, 0];
  try {
    await migrate(database.url);
    for (let round = 1; round <= rounds; round++) {
      writer ??= new Writer(database.url, acknowledged);
      const before = acknowledged.length;
      await writer.until(() => acknowledged.length > before);
      await sleep(random() * 400);
      const victim = ['writer', 'postgres', 'both'][Math.floor(random() * 3)] ?? 'both';
      if (victim !== 'writer') {
        process.kill(parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10), 'SIGKILL');
        deaths++;
        postgres++;
      }
      if (victim !== 'postgres') {
        await writer.kill();
        writer = undefined;
      }
      await verify(database.url, acknowledged);
      say(`round ${String(round)}: killed ${victim}; ${String(acknowledged.length)} acknowledged appends, each present once`);
      if (deaths >= DEATHS) {
        await writer?.kill();
        writer = undefined;
        await database.stop();
        database = await EmbeddedDatabase.start({ dataDir });
        deaths = 0;
      }
    }
    return { service: 0, postgres };
  } finally {
    await writer?.kill();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

class Writer {
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;

  constructor(url: string, acknowledged: Acknowledged[]) {
    const hooks = join(import.meta.dirname, '../../bench/support/register.mjs');
    const args = ['--import', hooks, join(import.meta.dirname, 'append-process.ts'), url];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.child = child;
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      const [stream, revision, id, position] = line.split(' ');
      // The last line of a killed process may be cut.
      if (stream && revision && id && position) acknowledged.push({ stream, revision: Number(revision), id, position });
    });
    this.ended = new Promise((resolve) => lines.once('close', resolve));
  }

  async until(condition: () => boolean): Promise<void> {
    const deadline = Date.now() + 200_000;
    while (!condition()) {
      if (this.child.exitCode !== null) throw new Error(`the writer exited with ${String(this.child.exitCode)}`);
      if (Date.now() > deadline) throw new Error('no append was acknowledged before the deadline');
      await sleep(5);
    }
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}

async function verify(url: string, acknowledged: readonly Acknowledged[]): Promise<void> {
  const seen = acknowledged.slice();
  const client = await connected(url);
  try {
    const { rows: missing } = await client.query(
      `SELECT given.* FROM unnest($1::text[], $2::bigint[], $3::uuid[], $4::bigint[]) AS given(stream, revision, id, n)
       LEFT JOIN log USING (stream, revision, id, n) WHERE log.n IS NULL`,
      [
        seen.map(({ stream }) => stream),
        seen.map(({ revision }) => revision),
        seen.map(({ id }) => id),
        seen.map(({ position }) => position),
      ],
    );
    if (missing.length > 0) throw new Error(`acknowledged appends are missing: ${JSON.stringify(missing.slice(0, 5))}`);
    const { rows: wrong } = await client.query(
      `SELECT * FROM (
         SELECT n, stream, revision, row_number() OVER (ORDER BY n) - 1 AS place, row_number() OVER (PARTITION BY stream ORDER BY n) - 1 AS step,
           lag(recorded_at) OVER (ORDER BY n) >= recorded_at AS backward,
           first_value(n) OVER (PARTITION BY meta::json ->> 'commandId' ORDER BY n) AS first, meta::json ->> 'commandId' AS command
         FROM log) AS l
       WHERE n <> place OR revision <> step OR backward OR n - first > 2 LIMIT 5`,
    );
    if (wrong.length > 0) throw new Error(`a gap, a duplicate or a step back in time: ${JSON.stringify(wrong)}`);
  } finally {
    await client.end();
  }
}

async function connected(url: string): Promise<pg.Client> {
  const deadline = Date.now() + 200_000;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}
