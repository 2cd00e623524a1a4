import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type pg from 'pg';
import { LocalWake } from '../src/platform/postgres/wake.ts';
import { postToOperator } from '../src/alerts/channels/post.ts';
import { createCosigner, createSigner, signCheckpoint } from '../src/proof/seal/signer.ts';
import { LedgerStore } from '../src/proof/seal/store/ledger-store.ts';
import { SealWriter } from '../src/proof/seal/store/seal-writer.ts';
import { parseVerifierKey, parseWitnessKey } from '../src/client/proofs/signed-note.ts';
import { TileWriter } from '../src/client/proofs/tile-writer.ts';
import { CosignatureCollector } from '../src/proof/witness/cosignature-collector.ts';
import { CosignatureStore } from '../src/proof/witness/cosignature-store.ts';
import { LogWitness } from '../src/proof/witness/log-witness.ts';
import { PostgresWitnessMemory } from '../src/proof/witness/postgres-witness-memory.ts';
import { openPool } from '../src/platform/postgres/pool.ts';
import { type Bench, figure, inTurns } from './support/bench.ts';

const ORIGIN = 'bench.watchledger.example/ledger';
const ROUNDS = 60;
/** New events under each checkpoint. */
const EVENTS = 300;

/** One checkpoint cosigned by a witness: consistency proof, request, verification and storage on both sides; against a bare request, signature and commit. */
const bench: Bench = async ({ database }) => {
  const [logPool, witnessPool] = await Promise.all(
    [database(), database()].map(async (url) => openPool(await url, { name: 'bench', max: 4 })),
  );
  if (logPool === undefined || witnessPool === undefined) throw new Error('no database');
  const signer = createSigner(ORIGIN, randomBytes(32));
  const cosigner = createCosigner('witness.example/witness', randomBytes(32));
  const witness = new LogWitness({
    cosigner: () => Promise.resolve(cosigner),
    keysOf: () => Promise.resolve([parseVerifierKey(signer.verifierKey)]),
    memory: new PostgresWitnessMemory(witnessPool),
    now: () => Math.floor(Date.now() / 1000),
  });
  const witnessing = await serve(async (body) => {
    const answer = await witness.addCheckpoint(body);
    return answer.kind === 'cosigned' ? [200, answer.cosignatures] : [409, `${String(answer.size)}\n`];
  });
  const bare = await bareWitness(witnessPool);
  try {
    const store = new LedgerStore(logPool);
    await store.initialise(ORIGIN);
    const growing = new GrowingLog(logPool, store, signer);
    const refusals: string[] = [];
    const post = postToOperator();
    const collector = new CosignatureCollector({
      store,
      cosignatures: new CosignatureStore(logPool),
      peers: () => Promise.resolve([{ url: witnessing.url, witnessKey: parseWitnessKey(cosigner.verifierKey), logKeys: [] }]),
      submit: async (url, body) => {
        const reply = await post({ url: `${url}/add-checkpoint`, body, headers: { 'content-type': 'text/plain' } });
        return reply.kind === 'answered' ? reply : { kind: 'failed', reason: reply.reason };
      },
      wake: new LocalWake(),
      report: (_, reason) => refusals.push(reason),
    });
    const text = 'x'.repeat(200);
    const times = await inTurns(ROUNDS, {
      round: async () => {
        await growing.sign();
        return elapsed(async () => {
          await collector.round();
        });
      },
      bare: () => elapsed(() => bare.ask(text)),
    });
    const { rows } = await logPool.query<{ count: string }>('SELECT count(*) FROM ledger_cosignature');
    if (refusals.length > 0 || Number(rows[0]?.count) !== ROUNDS) throw new Error(`not every round was cosigned: ${refusals.join(', ')}`);
    return [
      figure('a witness round, median', times.round, 'ms', { ceiling: times.bare, goal: { atMost: 50 } }),
      figure('a bare request, signature and commit, median', times.bare, 'ms'),
    ];
  } finally {
    await Promise.all([witnessing.close(), bare.close()]);
    await Promise.all([logPool.end(), witnessPool.end()]);
  }
};

export default bench;

/** A log that signs a checkpoint over more events with each call. */
class GrowingLog {
  private readonly tiles = new TileWriter();
  private readonly writer: SealWriter;

  constructor(
    pool: pg.Pool,
    private readonly store: LedgerStore,
    private readonly signer: ReturnType<typeof createSigner>,
  ) {
    this.writer = new SealWriter(pool, { signal: new AbortController().signal, holds: () => Promise.resolve(true) });
  }

  async sign(): Promise<void> {
    const from = (await this.store.state())?.size ?? 0;
    for (let event = 0; event < EVENTS; event++) this.tiles.append(randomBytes(32));
    await this.writer.grow(from, this.tiles.size, this.tiles.takeChanged());
    const [size, root] = [this.tiles.size, this.tiles.root()];
    await this.writer.sign({ size, root, note: signCheckpoint({ origin: ORIGIN, size, root }, [this.signer]), generation: 0 });
  }
}

interface Serving {
  readonly url: string;
  close(): Promise<void>;
}

async function serve(answer: (body: string) => Promise<readonly [status: number, text: string]>): Promise<Serving> {
  const server: Server = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString()));
    incoming.on('end', () => {
      void answer(body).then(([status, text]) => response.writeHead(status).end(text));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const close = (): Promise<void> =>
    new Promise((closed) => {
      server.close(() => {
        closed();
      });
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, close };
}

/** The ceiling. */
async function bareWitness(pool: pg.Pool): Promise<Serving & { ask(body: string): Promise<void> }> {
  const { privateKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { format: 'pem', type: 'pkcs8' },
    publicKeyEncoding: { format: 'pem', type: 'spki' },
  });
  const key = createPrivateKey(privateKey);
  await pool.query(`INSERT INTO witnessed_log (origin, size, root, note) VALUES ('bare', 0, '', '')`);
  const serving = await serve(async (body) => {
    await pool.query(`UPDATE witnessed_log SET size = size + 1 WHERE origin = 'bare'`);
    return [200, sign(null, Buffer.from(body), key).toString('base64')];
  });
  const agent = new Agent({ keepAlive: true });
  const ask = (body: string): Promise<void> =>
    new Promise((answered, failed) => {
      request(serving.url, { method: 'POST', agent }, (response) => {
        response.resume().on('end', answered);
      })
        .on('error', failed)
        .end(body);
    });
  const close = async (): Promise<void> => {
    agent.destroy();
    await serving.close();
  };
  return { ...serving, close, ask };
}

async function elapsed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
