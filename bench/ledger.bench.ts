import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { masterKeys } from '../test/support/master-keys.ts';
import { openPool } from '../src/platform/postgres/pool.ts';
import { LocalWake } from '../src/platform/postgres/wake.ts';
import { SealKeys } from '../src/proof/seal/keys/seal-keys.ts';
import { Ledger } from '../src/proof/seal/ledger.ts';
import { LedgerStore } from '../src/proof/seal/store/ledger-store.ts';
import { leafHash } from '../src/client/proofs/merkle-tree.ts';
import { verifyExport } from '../src/client/proofs/verify-export.ts';
import { verifyLog } from '../src/client/proofs/verify-log.ts';
import { wholeLog } from '../src/proof/seal/whole-log.ts';
import { PostgresLog } from '../src/platform/log/postgres-log.ts';
import { type Bench, figure, median } from './support/bench.ts';
import { HeapWatch } from './support/heap.ts';
import { seal } from './support/seal.ts';

/** A fifth of the goal's million events, as the rate does not depend on the number. Half of them belong to one project. */
const EVENTS = 200_000;
const MILLION = 1_000_000;
const SCOPE = 'project-000000000000000000000001';
const PROOFS = 200;

/** Sealing against reading alone; a proof; an export of half the log, written and verified, against parsing and hashing its lines. */
const bench: Bench = async ({ database, say }) => {
  const url = await database();
  const pool = openPool(url, { name: 'bench', max: 8 });
  const wake = new LocalWake();
  const log = new PostgresLog(pool, wake);
  const store = new LedgerStore(pool);
  const { origin } = await store.initialise('bench.watchledger.example/ledger');
  const keys = new SealKeys({ pool, master: masterKeys(pool, Buffer.alloc(32, 1)), origin });
  await keys.ensureKey();
  const ledger = new Ledger({ pool, store, log, keys, origin, wake, witnessKeys: () => Promise.resolve([]) });
  const folder = mkdtempSync(join(tmpdir(), 'watchledger-bench-'));
  const file = join(folder, 'export.ndjson');
  try {
    say(`writing ${EVENTS.toLocaleString('en')} events ...`);
    await pool.query(SEED, [EVENTS]);
    await pool.query('VACUUM ANALYZE log');
    const reading = await seconds(() => readAll(log));
    const sealing = await seconds(() => seal({ url, pool, wake, log, store, origin, keys }, EVENTS));
    const proofs = await proofTimes(pool, ledger);
    const heap = new HeapWatch(150);
    const exporting = await seconds(async () => {
      await pipeline(Readable.from(heap.watch(await ledger.export('1', SCOPE, { from: null, to: null }))), createWriteStream(file));
    });
    const parsing = await seconds(() => parseAndHash(file));
    const verifying = await seconds(() => verifyFile(file, keys));
    const whole = await seconds(() => verifyWhole(pool, store, keys));
    const exported = EVENTS / 2;
    return [
      figure(`sealing 1,000,000 events (from ${EVENTS.toLocaleString('en')})`, (sealing * MILLION) / EVENTS, 's', {
        ceiling: (reading * MILLION) / EVENTS,
        goal: { atMost: 20 },
      }),
      figure('a proof, median', median(proofs), 'ms', { goal: { atMost: 20 } }),
      figure('a proof, slowest', Math.max(...proofs), 'ms'),
      figure('export of 100,000 events', exported / exporting, 'events/s', { goal: { atLeast: 20_000 } }),
      figure('heap while exporting, grown by', heap.grown / 2 ** 20, 'MiB', { goal: { atMost: 8 } }),
      figure('verifying an export of 100,000 events', verifying, 's', { ceiling: parsing, goal: { atMost: 5 } }),
      figure(`verifying a whole log of 1,000,000 events (from ${EVENTS.toLocaleString('en')})`, (whole * MILLION) / EVENTS, 's'),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await pool.end();
  }
};

export default bench;

/** A verdict event with its metadata, as in the service. */
const SEED = `
  INSERT INTO log (n, source_position, id, stream, revision, type, version, scope, recorded_at, data, meta)
  SELECT n, n::text, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'verdict-' || n % 1000, n / 1000, 'CheckFailed', 1,
         'project-00000000000000000000000' || n % 2, now() + n * interval '1 millisecond',
         '{"checkId":"5f1c2b9f6a3f5d0e9b0e4d8b","failing":["status eq 200"],"from":"ok","to":"error","run":' || n || '}',
         '{"actor":{"kind":"checker","id":"eu-1"},"correlationId":"2f1c2b9f-6a3f-4d0e-9b0e-4d8a7c5b3a21","causationId":null,'
         || '"commandId":"2f1c2b9f-6a3f-4d0e-9b0e-4d8a7c5b3a22","occurredAt":"2026-11-21T12:00:00.000Z"}'
  FROM generate_series(0, $1::int - 1) AS n`;

async function seconds(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

async function readAll(log: PostgresLog): Promise<void> {
  for (let after = -1; after < EVENTS - 1;) after = (await log.read({ after, limit: 2_000 })).at(-1)?.n ?? EVENTS;
}

async function proofTimes(pool: pg.Pool, ledger: Ledger): Promise<readonly number[]> {
  const { rows } = await pool.query<{ id: string; scope: string }>('SELECT id, scope FROM log ORDER BY md5(n::text) LIMIT $1', [PROOFS]);
  const times: number[] = [];
  for (const { id, scope } of rows) times.push(1_000 * (await seconds(() => provenOne(ledger, scope, id))));
  return times;
}

async function provenOne(ledger: Ledger, scope: string, id: string): Promise<void> {
  if ((await ledger.proof(scope, id)) === null) throw new Error(`there is no proof of ${id}`);
}

async function parseAndHash(file: string): Promise<void> {
  let bytes = 0;
  for await (const line of createInterface(createReadStream(file))) {
    const row: unknown = JSON.parse(line);
    if (typeof row === 'object' && row !== null && 'leaf' in row) bytes += leafHash(String(row.leaf)).length;
  }
  if (bytes !== (32 * EVENTS) / 2) throw new Error(`the export has ${String(bytes / 32)} events`);
}

async function verifyFile(file: string, keys: SealKeys): Promise<void> {
  const verdict = await verifyExport(createReadStream(file), await keys.listed());
  if (verdict.kind !== 'intact') throw new Error(verdict.finding.message);
}

async function verifyWhole(pool: pg.Pool, store: LedgerStore, keys: SealKeys): Promise<void> {
  const verdict = await verifyLog(await wholeLog({ pool, store, keys: await keys.listed() }));
  if (verdict.kind !== 'intact') throw new Error(verdict.finding.message);
}
