import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { masterKeys } from '../../../test/support/master-keys.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { isSignedBy, readNote, readTree, readVkey } from '../../../test/support/c2sp/note.ts';
import { isProven, readProof } from '../../../test/support/c2sp/proof.ts';
import { ORIGIN, sampleEvents, truncated } from '../../../test/support/sealed-log.ts';
import { until } from '../../../test/support/until.ts';
import { guardOf } from '../../../test/support/seal-world.ts';
import { insertEvents } from '../../../test/support/log-table.ts';
import { repeatUntilAborted } from '../../kernel/abortable.ts';
import { PostgresLeases } from '../../platform/postgres/postgres-leases.ts';
import { LocalWake } from '../../platform/postgres/wake.ts';
import { PostgresLog } from '../../platform/log/postgres-log.ts';
import { SealKeys } from './keys/seal-keys.ts';
import { GrowthProofs } from './seal-growth.ts';
import { Ledger, NotSealedYet } from './ledger.ts';
import { CHECKPOINT_SIGNED } from './sealer/sealer.ts';
import { SealingLoop } from './sealer/sealing-loop.ts';
import { LedgerStore } from './store/ledger-store.ts';
import { parseTilePath, type TileRequest } from './tiles/tile-path.ts';
import { openCheckpoint, type SealCheckpoint } from '../../client/proofs/checkpoint.ts';
import { hashFromText, leafHash, verifyConsistency, verifyInclusion } from '../../client/proofs/merkle-tree.ts';
import { parseVerifierKey } from '../../client/proofs/signed-note.ts';
import { createSigner } from './signer.ts';
import { verifyOriginEnd } from '../../client/proofs/origin-end.ts';
import { parsePolicy } from '../../client/proofs/policy.ts';
import { formatTlogProof, verifyTlogProof } from '../../client/proofs/tlog-proof.ts';
import { type ExportVerdict, verifyExport } from '../../client/proofs/verify-export.ts';

const MASTER = Buffer.alloc(32, 5);
const EVENTS = sampleEvents(700);

let database: TestDatabase;
let ledger: Ledger;
let keys: SealKeys;
let store: LedgerStore;
let log: PostgresLog;
let wake: LocalWake;
let agreed: readonly string[] = [];
const open: { close(): Promise<void> }[] = [];

const begin = async (): Promise<void> => {
  database = await createTestDatabase();
  store = new LedgerStore(database.pool);
  await store.initialise(ORIGIN);
  keys = new SealKeys({ pool: database.pool, master: masterKeys(database.pool, MASTER), origin: ORIGIN });
  await keys.ensureKey();
  wake = new LocalWake();
  log = new PostgresLog(database.pool, wake);
  ledger = new Ledger({
    pool: database.pool,
    store,
    log,
    keys,
    origin: ORIGIN,
    wake,
    witnessKeys: () => Promise.resolve(agreed),
    sealTimeoutMs: 2_000,
  });
};

const end = async (): Promise<void> => {
  for (const each of open.splice(0).reverse()) await each.close();
  await database.drop();
};

/** An instance of its own: leases are held by process and connection. */
function startInstance(): SealingLoop {
  const leases = new PostgresLeases(database.url, wake, { pollMs: 50 });
  const loop = new SealingLoop({
    pollMs: 500,
    pool: database.pool,
    store,
    log,
    wake,
    origin: ORIGIN,
    guard: guardOf(store, log),
    signers: (origin) => keys.signersOf(origin),
    formerSigners: (origin) => keys.formerSigners(origin),
    leases,
    report: (error) => {
      throw error;
    },
  });
  loop.start();
  open.push(leases, loop);
  return loop;
}

const requestOf = (path: string): TileRequest => {
  const request = parseTilePath(path);
  if (request === null) throw new Error(path);
  return request;
};

async function checkpointNow(): Promise<SealCheckpoint> {
  const opened = openCheckpoint((await ledger.checkpoint()) ?? '', await keys.listed());
  if (opened.kind !== 'open') throw new Error(opened.kind);
  return opened.checkpoint;
}

describe('a sealed log', () => {
  beforeAll(async () => {
    await begin();
    await insertEvents(database.pool, EVENTS.slice(0, 600));
    startInstance();
    await ledger.proof('project-0', EVENTS[0]?.id ?? '');
    await insertEvents(database.pool, EVENTS.slice(600));
    wake.ring('log');
  });
  afterAll(end);

  it('proves the inclusion of an event, even of one just appended', async () => {
    for (const event of [EVENTS[0], EVENTS[699]]) {
      const proof = await ledger.proof(event?.scope ?? '', event?.id ?? '');
      if (proof === null) throw new Error('no proof');
      const opened = openCheckpoint(proof.checkpoint, await keys.listed());
      const root = opened.kind === 'open' ? opened.checkpoint.root : Buffer.alloc(0);
      const path = proof.path.map((text) => hashFromText(text) ?? Buffer.alloc(0));
      expect(verifyInclusion(leafHash(proof.leaf), proof.index, proof.size, path, root)).toBe(true);
      expect(JSON.parse(proof.leaf)).toEqual(event);
    }
  });

  it('proves nothing for another scope or an unknown event', async () => {
    expect(await ledger.proof('project-9', EVENTS[0]?.id ?? '')).toBeNull();
    expect(await ledger.proof('project-0', '00000000-0000-4000-8000-000000000000')).toBeNull();
  });

  it('serves tiles whose entries hash to them', async () => {
    await ledger.proof(EVENTS[699]?.scope ?? '', EVENTS[699]?.id ?? '');
    const tile = await ledger.tile(requestOf('0/002.p/188'));
    const bundle = await ledger.tile(requestOf('entries/002.p/188'));
    const hashes: Buffer[] = [];
    for (let at = 0; bundle && at < bundle.length;) {
      const length = bundle.readUInt16BE(at);
      hashes.push(leafHash(bundle.subarray(at + 2, at + 2 + length)));
      at += 2 + length;
    }
    expect(hashes).toHaveLength(188);
    expect(Buffer.concat(hashes)).toEqual(tile);
    expect(await ledger.tile(requestOf('0/002.p/100'))).toEqual(tile?.subarray(0, 3200));
    expect(await ledger.tile(requestOf('1/000.p/2'))).toHaveLength(64);
    for (const path of ['0/002', '0/002.p/189', '0/003.p/1', '1/000', '2/000.p/1', 'entries/003.p/1']) {
      expect(await ledger.tile(requestOf(path))).toBeNull();
    }
  });

  it('proves consistency between two sizes', async () => {
    const [first] = await store.checkpointsAfter(0, 1);
    const now = await checkpointNow();
    const proof = await ledger.consistency(first?.size ?? 0, now.size);
    const path = (proof?.path ?? []).map((hash) => Buffer.from(hash, 'base64'));
    expect(first && verifyConsistency(first, now, path)).toBe(true);
    expect(proof).toMatchObject({ roots: [first?.root.toString('base64'), now.root.toString('base64')] });
    expect(await ledger.consistency(1, now.size + 1)).toBeNull();
  });

  it('proves to a reader of an older checkpoint that the newest one extends it, and says where no proof leads', async () => {
    const [first] = await store.checkpointsAfter(0, 1);
    const now = await checkpointNow();
    const proofs = new GrowthProofs(ledger);
    const grown = await proofs.since({ origin: ORIGIN, size: first?.size ?? 0 });
    expect(grown).toMatchObject({ seal: { from: first?.size, to: now.size }, now: { origin: ORIGIN, size: now.size } });
    const path = (grown?.seal.path ?? []).map((hash) => Buffer.from(hash, 'base64'));
    expect(first && verifyConsistency(first, now, path)).toBe(true);
    expect((await proofs.since({ origin: ORIGIN, size: now.size }))?.seal).toMatchObject({ from: now.size, to: now.size, path: [] });
    for (const unknown of [null, { origin: `${ORIGIN}/2`, size: 5 }, { origin: ORIGIN, size: now.size + 1 }])
      expect((await proofs.since(unknown))?.seal).toMatchObject({ from: null, to: now.size, path: [] });
  });

  it('exports the events between two instants, inclusive', async () => {
    const [from, to] = [EVENTS[100]?.recordedAt ?? '', EVENTS[400]?.recordedAt ?? ''];
    const { scope = '' } = EVENTS[100] ?? {};
    const expected = EVENTS.filter((event) => event.scope === scope && event.n >= 100 && event.n <= 400);
    const chunks = await ledger.export('1', scope, { from, to });
    async function* bytes(): AsyncGenerator<Uint8Array> {
      for await (const chunk of chunks) yield Buffer.from(chunk);
    }
    const verdict = await verifyExport(bytes(), await keys.listed());
    expect(verdict).toMatchObject({ kind: 'intact', head: { count: expected.length, span: { from, to, after: 99, until: 400 } } });
  });

  it('throws NotSealedYet when sealing lags', async () => {
    const impatient = new Ledger({
      pool: database.pool,
      store,
      log: { ...reading(), head: () => Promise.resolve(10_000) },
      keys,
      origin: ORIGIN,
      wake,
      witnessKeys: () => Promise.resolve([]),
      sealTimeoutMs: 0,
    });
    await expect(impatient.export('1', 'project-1', { from: null, to: null })).rejects.toBeInstanceOf(NotSealedYet);
  });

  const reading = () => ({ read: log.read.bind(log), at: log.at.bind(log) });
});

describe('the checkpoint of an answer', () => {
  beforeEach(begin);
  afterEach(() => {
    agreed = [];
    return end();
  });

  const sign = (number: number, size: number, secondsAgo: number): Promise<unknown> =>
    database.pool.query(
      `INSERT INTO ledger_checkpoint (number, generation, size, root, note, signed_at)
       VALUES ($1, 0, $2, '', 'note', clock_timestamp() - make_interval(secs => $3))`,
      [number, size, secondsAgo],
    );
  const cosign = async (number: number, ...witnesses: readonly string[]): Promise<void> => {
    for (const name of witnesses)
      await database.pool.query('INSERT INTO ledger_cosignature VALUES ($1, $2, $3)', [number, name, `+${name}`]);
    wake.ring(CHECKPOINT_SIGNED);
  };

  it('is the newest that most of the agreed witnesses cosigned, else the newest', async () => {
    agreed = ['a', 'b'];
    for (const number of [1, 2, 3, 4]) await sign(number, 10 * number, 60 - number);
    await cosign(1, 'a', 'b');
    await cosign(2, 'a', 'b', 'former');
    await cosign(3, 'a', 'former');
    const sizes = [];
    for (const n of [0, 19, 20, 35]) sizes.push(await ledger.covering(n, 'cosigned'));
    expect(sizes).toEqual([
      { size: 20, note: 'note+a+b+former', isCosigned: true },
      { size: 20, note: 'note+a+b+former', isCosigned: true },
      { size: 30, note: 'note+a+former', isCosigned: false },
      { size: 40, note: 'note', isCosigned: false },
    ]);
  });

  it('is waited for while a witness keeps up, unless a signed one is enough', async () => {
    agreed = ['a', 'away'];
    await sign(1, 10, 60);
    await cosign(1, 'a', 'away');
    await sign(2, 20, 30);
    await sign(3, 30, 1);
    await cosign(2, 'a');
    expect(await ledger.covering(25, 'signed')).toEqual({ size: 30, note: 'note', isCosigned: false });
    const asked = ledger.covering(25, 'cosigned');
    const isFirst = await Promise.race([asked.then(() => 'answered'), sleep(300, 'waits')]);
    await cosign(3, 'a');
    expect([isFirst, await asked]).toEqual(['waits', { size: 30, note: 'note+a', isCosigned: false }]);
  });

  it('is the newest where a witness that kept up takes too long, and not waited for by a reader that has left', async () => {
    agreed = ['a'];
    await sign(1, 10, 60);
    await cosign(1, 'a');
    await sign(2, 20, 1);
    const left = new AbortController();
    const started = performance.now();
    const asked = ledger.covering(15, 'cosigned', left.signal);
    left.abort();
    const newest = { size: 20, note: 'note', isCosigned: false };
    expect([await asked, performance.now() - started < 1_000]).toEqual([newest, true]);
    expect(await ledger.covering(15, 'cosigned')).toEqual(newest);
  });

  it('is signed within a second and a half although events keep coming, and at most once a second', async () => {
    const writing = new AbortController();
    const events = [...EVENTS];
    const written = repeatUntilAborted(writing.signal, 60, () =>
      insertEvents(database.pool, events.splice(0, 1)).then(() => wake.ring('log')),
    );
    const started = performance.now();
    startInstance();
    await until(async () => (await log.head()) > 10, 10_000);
    const times: number[] = [];
    for (let asked = 0; asked < 5; asked++) {
      const from = performance.now();
      await ledger.covering(await log.head(), 'cosigned');
      times.push(performance.now() - from);
    }
    writing.abort();
    await written;
    const signed = await store.checkpointsAfter(0, 100);
    expect(Math.max(...times)).toBeLessThan(1_600);
    expect(signed.length).toBeLessThanOrEqual((performance.now() - started) / 1_000 + 1);
  });

  it('is to be asked for again soon where sealing is behind, and in a minute where it has stopped', async () => {
    const impatient = new Ledger({
      ...{ pool: database.pool, store, log, keys, wake },
      origin: ORIGIN,
      witnessKeys: () => Promise.resolve([]),
      sealTimeoutMs: 0,
    });
    await expect(impatient.covering(0, 'signed')).rejects.toMatchObject({ retryAfter: 3 });
    await expect(impatient.covering(99_999, 'signed')).rejects.toMatchObject({ retryAfter: 22 });
    await database.pool.query(`UPDATE ledger_state SET stopped = 'the log is shorter than the seal'`);
    await expect(impatient.covering(0, 'signed')).rejects.toMatchObject({ retryAfter: 60 });
  });
});

describe('the keys', () => {
  beforeEach(begin);
  afterEach(end);

  it('generates one key when several instances start together', async () => {
    await Promise.all(
      Array.from({ length: 5 }, () =>
        new SealKeys({ pool: database.pool, master: masterKeys(database.pool, MASTER), origin: ORIGIN }).ensureKey(),
      ),
    );
    expect(await ledger.verifierKeys()).toHaveLength(1);
  });

  it('rotates without interruption: both sign until the old one is retired', async () => {
    await insertEvents(database.pool, EVENTS.slice(0, 10));
    startInstance();
    const [old = ''] = await ledger.verifierKeys();
    await ledger.proof(EVENTS[0]?.scope ?? '', EVENTS[0]?.id ?? '');
    const young = await keys.rotate();
    expect(await ledger.verifierKeys()).toEqual([young, old]);
    expect((await keys.signers()).map(({ verifierKey }) => verifierKey)).toEqual([young, old]);
    await insertEvents(database.pool, EVENTS.slice(10, 20));
    wake.ring('log');
    await ledger.proof(EVENTS[19]?.scope ?? '', EVENTS[19]?.id ?? '');
    for (const key of [young, old])
      expect(openCheckpoint((await ledger.checkpoint()) ?? '', [parseVerifierKey(key)])).toMatchObject({ kind: 'open' });
    expect(await keys.retire(old)).toBe(true);
    expect(await keys.retire(young)).toBe(false);
    expect((await keys.signers()).map(({ verifierKey }) => verifierKey)).toEqual([young]);
    expect(await ledger.verifierKeys()).toEqual([young, old]);
  });

  it('are listed also when they come from the environment', async () => {
    const given = new SealKeys({
      pool: database.pool,
      master: masterKeys(database.pool, MASTER),
      origin: ORIGIN,
      given: [Buffer.alloc(32, 8)],
    });
    await given.ensureKey();
    await given.ensureKey();
    expect(await given.listed()).toHaveLength(2);
    expect((await given.signers()).length).toBe(2);
    expect((await keys.signers()).length).toBe(1);
    const { rows } = await database.pool.query('SELECT wrapped FROM ledger_key ORDER BY number');
    expect(rows.map(({ wrapped }: { wrapped: unknown }) => wrapped === null)).toEqual([false, true]);
  });
});

describe('after a declared loss', () => {
  beforeAll(begin);
  afterAll(end);
  let before: { readonly proof: string; readonly export: string; readonly key: string };
  let key = '';
  const exported = async (): Promise<string> => {
    let text = '';
    for await (const chunk of await ledger.export('1', 'project-0', { from: null, to: null })) text += chunk;
    return text;
  };
  const proofOf = async (n: number): Promise<string> => {
    const proof = await ledger.proof(EVENTS[n]?.scope ?? '', EVENTS[n]?.id ?? '');
    return proof === null ? '' : formatTlogProof(proof);
  };
  const verdictOn = (text: string, ...by: readonly string[]): Promise<ExportVerdict> => {
    async function* bytes(): AsyncGenerator<Uint8Array> {
      yield await Promise.resolve(Buffer.from(text));
    }
    return verifyExport(bytes(), by.map(parseVerifierKey));
  };

  it('the log continues under another origin with a key of its own, and the former one is retired', async () => {
    await insertEvents(database.pool, EVENTS.slice(0, 300));
    startInstance();
    const last = await checkpointOver(300);
    before = { proof: await proofOf(0), export: await exported(), key: (await ledger.verifierKeys())[0] ?? '' };
    await database.pool.query('DELETE FROM log WHERE n >= 200');
    await insertEvents(database.pool, [truncated(200, 300, 200, { lastCheckpoint: last })]);
    wake.ring('log');
    const current = await checkpointOver(201);
    key = (await ledger.verifierKeys())[0] ?? '';
    expect(parseVerifierKey(key).name).toBe(`${ORIGIN}/2`);
    expect(isSignedBy(readNote(current), readVkey(key))).toBe(true);
    expect(readTree(readNote(current)).origin).toBe(`${ORIGIN}/2`);
    expect((await keys.signers()).map(({ verifierKey }) => verifierKey)).toEqual([key]);
    expect(await keys.formerSigners(`${ORIGIN}/2`)).toEqual([]);
    // A trust policy lists a public key once, under whatever name.
    expect(parsePolicy(Buffer.from(`log ${before.key}\nlog ${key}\nquorum none\n`)).logs).toHaveLength(2);
  });

  it('names both origins, and the keys of both sign which one follows', async () => {
    const [second, first] = await ledger.origins();
    expect([second?.origin, second?.keys, second?.end]).toEqual([`${ORIGIN}/2`, [key], null]);
    expect([first?.origin, first?.keys]).toEqual([ORIGIN, [before.key]]);
    for (const trusted of [before.key, key])
      expect(verifyOriginEnd(first?.end ?? '', [parseVerifierKey(trusted)])).toMatchObject({
        kind: 'signed',
        end: {
          ended: ORIGIN,
          losses: [{ from: 300, to: 200, reason: 'restored from the backup of last night', n: 200 }],
          continuesAs: { origin: `${ORIGIN}/2`, keys: [key] },
        },
        last: trusted === before.key ? { size: 300 } : null,
      });
    const changed = first?.end?.replace('"to":200', '"to":250') ?? '';
    expect(verifyOriginEnd(changed, [parseVerifierKey(before.key), parseVerifierKey(key)])).toMatchObject({ kind: 'refuted' });
  });

  it('what was proved and exported before is verified with the former key, and later files with the next one', async () => {
    const after = { proof: await proofOf(0), export: await exported() };
    for (const [file, right, wrong] of [
      [before, before.key, key],
      [after, key, before.key],
    ] as const) {
      expect(verifyTlogProof(file.proof, [parseVerifierKey(right)])).toMatchObject({ kind: 'proven', index: 0 });
      expect(isProven(readProof(file.proof))).toBe(true);
      expect(verifyTlogProof(file.proof, [parseVerifierKey(wrong)])).toMatchObject({ kind: 'refuted' });
      expect(await verdictOn(file.export, right)).toMatchObject({ kind: 'intact' });
      expect(await verdictOn(file.export, wrong)).toMatchObject({ kind: 'tampered' });
    }
  });

  it('the keys of SEAL_KEY differ by origin, and begin with SEAL_KEY itself', async () => {
    const seed = Buffer.alloc(32, 8);
    const given = new SealKeys({ pool: database.pool, master: masterKeys(database.pool, MASTER), origin: ORIGIN, given: [seed] });
    const [first, second] = [createSigner(ORIGIN, seed).verifierKey, (await given.signersOf(`${ORIGIN}/2`))[0]?.verifierKey ?? ''];
    expect((await given.signersOf(ORIGIN)).map(({ verifierKey }) => verifierKey)).toEqual([first]);
    expect(second.slice(-40)).not.toBe(first.slice(-40));
    expect((await given.signersOf(`${ORIGIN}/2`))[0]?.verifierKey).toBe(second);
  });

  /** The newest checkpoint, once it covers this many events. */
  async function checkpointOver(size: number): Promise<string> {
    let note = '';
    await until(async () => {
      note = (await ledger.checkpoint()) ?? '';
      return note.split('\n')[1] === String(size);
    }, 20_000);
    return note;
  }
});

describe('two instances', () => {
  beforeEach(begin);
  afterEach(end);

  /** Its lease has another epoch with each owner. */
  const ownerNow = async (): Promise<number> => {
    const { rows } = await database.pool.query<{ epoch: string }>(`SELECT epoch FROM lease WHERE name = 'sealer'`);
    return Number(rows[0]?.epoch);
  };

  it('never seal at the same time', async () => {
    const first = startInstance();
    await insertEvents(database.pool, EVENTS.slice(0, 300));
    await ledger.proof(EVENTS[299]?.scope ?? '', EVENTS[299]?.id ?? '');
    const before = await ownerNow();
    startInstance();
    await first.close();
    await insertEvents(database.pool, EVENTS.slice(300));
    wake.ring('log');
    await ledger.proof(EVENTS[699]?.scope ?? '', EVENTS[699]?.id ?? '');
    expect(await checkpointNow()).toMatchObject({ size: 700 });
    expect(await ownerNow()).toBeGreaterThan(before);
  });
});
