import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { ORIGIN, sampleEvents, signer, signerOf, verifierKey } from '../../../test/support/sealed-log.ts';
import { guardOf } from '../../../test/support/seal-world.ts';
import { insertEvents } from '../../../test/support/log-table.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { PostgresLog } from '../../platform/log/postgres-log.ts';
import { Sealer } from './sealer/sealer.ts';
import { createSigner, signCheckpoint, type Signer } from './signer.ts';
import { LedgerStore } from './store/ledger-store.ts';
import type { Finding } from '../../client/proofs/finding.ts';
import { verifyLog, type LogVerdict } from '../../client/proofs/verify-log.ts';
import { type KeptNote, wholeLog } from './whole-log.ts';

const COUNT = 300;
const EVENTS = sampleEvents(COUNT);
const TABLES = ['log', 'ledger_tile', 'ledger_checkpoint', 'ledger_state'];

let database: TestDatabase;
let store: LedgerStore;
let log: PostgresLog;

const sql = (text: string): Promise<unknown> => database.pool.query(text);
const inEachTable = (statement: (table: string) => string): Promise<unknown> => sql(TABLES.map(statement).join(';'));

beforeAll(async () => {
  database = await createTestDatabase();
  store = new LedgerStore(database.pool);
  log = new PostgresLog(database.pool, new LocalWake());
  await store.initialise(ORIGIN);
  for (const size of [100, COUNT]) {
    await insertEvents(database.pool, EVENTS.slice(size === COUNT ? 100 : 0, size));
    await seal();
  }
  await inEachTable((table) => `CREATE TABLE true_${table} AS SELECT * FROM ${table}`);
});
afterAll(() => database.drop());
beforeEach(() => inEachTable((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM true_${table}`));

/** Waits until the whole log is signed. */
async function seal(): Promise<void> {
  const stop = new AbortController();
  const onSigned = (): void => {
    stop.abort();
  };
  const signers = (origin: string): Promise<Signer[]> => Promise.resolve([signerOf(origin)]);
  const formerSigners = (): Promise<Signer[]> => Promise.resolve([signer]);
  const guard = guardOf(store, log);
  const sealer = new Sealer({
    pool: database.pool,
    store,
    log,
    wake: new LocalWake(),
    origin: ORIGIN,
    guard,
    signers,
    formerSigners,
    onSigned,
  });
  await sealer.run({ signal: stop.signal, holds: () => Promise.resolve(true) });
}

async function verify(kept: readonly KeptNote[] = []): Promise<LogVerdict> {
  return verifyLog(await wholeLog({ pool: database.pool, store, keys: [verifierKey], kept }));
}

async function findingAfter(change: string, kept: readonly KeptNote[] = []): Promise<Finding | null> {
  await sql(change);
  const verdict = await verify(kept);
  return verdict.kind === 'tampered' ? verdict.finding : null;
}

/** Signs as a forger with the genuine key would. */
const insertion = (n: number, id = '00000000-0000-4000-8000-00000000f0f0'): string =>
  `INSERT INTO log SELECT ${String(n)}, 'x', '${id}', 'forged', 0, type, version, scope, recorded_at, data, meta FROM log WHERE n = 7`;

const ATTACKS: readonly (readonly [what: string, change: string, finding: Partial<Finding>])[] = [
  ['a byte of an event', `UPDATE log SET data = replace(data, 'expected 50', 'expected 51') WHERE n = 50`, { kind: 'changed', index: 50 }],
  [
    'the time of an event',
    `UPDATE log SET recorded_at = recorded_at + interval '1 microsecond' WHERE n = 50`,
    { kind: 'changed', index: 50 },
  ],
  ['who did it', `UPDATE log SET meta = replace(meta, '"eu"', '"us"') WHERE n = 50`, { kind: 'changed', index: 50 }],
  ['an event less', 'DELETE FROM log WHERE n = 50', { kind: 'removed', index: 50 }],
  ['an event before the first', insertion(-3), { kind: 'inserted', index: -3, event: '00000000-0000-4000-8000-00000000f0f0' }],
  [
    'an event between two',
    `UPDATE log SET n = -1000 - n WHERE n >= 50; UPDATE log SET n = -999 - n WHERE n < 0; ${insertion(50)}`,
    { kind: 'inserted', index: 50 },
  ],
  [
    'two events in the place of each other',
    'UPDATE log SET n = -1 WHERE n = 50; UPDATE log SET n = 50 WHERE n = 60; UPDATE log SET n = 60 WHERE n = -1',
    { kind: 'moved', index: 50 },
  ],
  ['text that is no JSON', `UPDATE log SET data = 'x' WHERE n = 50`, { kind: 'changed', index: 50 }],
  [
    'a second value behind an event, which others would read as the next',
    `UPDATE log SET data = data || ',{}' WHERE n = 50`,
    { index: 50 },
  ],
  ['a second value behind the last event', `UPDATE log SET data = data || ',{}' WHERE n = ${String(COUNT - 1)}`, { index: COUNT - 1 }],
  [
    'two texts that are JSON only together',
    `UPDATE log SET data = (SELECT l.data FROM log l WHERE l.n = 50) || ',' || split_part(data, ',', 1) WHERE n = 51;
     UPDATE log SET data = CASE n WHEN 50 THEN (SELECT l.data FROM log l WHERE l.n = 51)
       ELSE (SELECT substr(l.data, length(split_part(l.data, ',', 1)) + 2) FROM true_log l WHERE l.n = 51) END WHERE n IN (50, 51)`,
    { kind: 'changed', index: 50 },
  ],
  [
    'a tile',
    'UPDATE ledger_tile SET hashes = set_byte(hashes, 40, get_byte(hashes, 40) # 1) WHERE level = 0 AND tile_index = 0',
    { kind: 'tile' },
  ],
  ['a tile that is cut', 'UPDATE ledger_tile SET hashes = substring(hashes FOR 64) WHERE level = 0 AND tile_index = 0', { kind: 'tile' }],
  ['the tiles of a level', 'DELETE FROM ledger_tile WHERE level = 1', { kind: 'tile' }],
  [
    'the root of a checkpoint',
    'UPDATE ledger_checkpoint SET root = set_byte(root, 0, get_byte(root, 0) # 1) WHERE number = 1',
    { kind: 'checkpoint', message: 'checkpoint 1 is listed with a size or root that differs from the signed one' },
  ],
  [
    'the note of a checkpoint',
    `UPDATE ledger_checkpoint SET note = replace(note, E'\\n300\\n', E'\\n299\\n') WHERE number = 2`,
    { kind: 'checkpoint', message: 'checkpoint 2 was not signed by a key of this log' },
  ],
  [
    'a checkpoint less',
    'DELETE FROM ledger_checkpoint WHERE number = 1',
    { kind: 'checkpoint', message: '1 of 2 checkpoints were removed' },
  ],
  ['the log cut', 'DELETE FROM log WHERE n >= 200', { kind: 'removed', index: 200 }],
];

describe('the log of an installation', () => {
  it('is intact as it was sealed', async () => {
    expect(await verify()).toEqual({ kind: 'intact', events: COUNT, sealed: COUNT, signed: COUNT, checkpoints: 2, givenUp: 0 });
  });

  it.each(ATTACKS)('detects %s', async (_what, change, finding) => {
    expect(await findingAfter(change)).toMatchObject(finding);
  });

  it('sealed and signed again is exposed only by a checkpoint kept elsewhere', async () => {
    const kept = [{ name: 'kept-in-march.txt', note: (await store.latestCheckpoint())?.note ?? '' }];
    const rewritten = `UPDATE log SET data = '{}' WHERE n = 150; DELETE FROM ledger_checkpoint WHERE number = 2;
      DELETE FROM ledger_tile; UPDATE ledger_state SET size = 0`;
    await sql(rewritten);
    await sql('DELETE FROM ledger_checkpoint; UPDATE ledger_state SET stopped = NULL');
    await seal();
    expect(await verify()).toMatchObject({ kind: 'intact', signed: COUNT });
    expect(await verify(kept)).toMatchObject({
      kind: 'tampered',
      finding: {
        kind: 'checkpoint',
        message: expect.stringContaining('the checkpoint kept as kept-in-march.txt was signed over 300'),
      },
    });
  });

  it('is verified with the trusted key, not with the keys it lists', async () => {
    const size = COUNT;
    const root = (await store.latestCheckpoint())?.root ?? Buffer.alloc(32);
    const note = signCheckpoint({ origin: ORIGIN, size, root }, [createSigner(ORIGIN, Buffer.alloc(32, 9))]);
    await database.pool.query('UPDATE ledger_checkpoint SET note = $1 WHERE number = 2', [note]);
    expect(await verify()).toMatchObject({ kind: 'tampered', finding: { message: 'checkpoint 2 was not signed by a key of this log' } });
  });
});
