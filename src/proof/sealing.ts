import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { MasterKeys } from '../platform/security/keyring/master-keys.ts';
import type { PostgresLeases } from '../platform/postgres/postgres-leases.ts';
import type { Config } from '../platform/config/config.ts';
import { CheckpointFile } from './seal/equivocation/checkpoint-file.ts';
import { EquivocationGuard } from './seal/equivocation/equivocation-guard.ts';
import { SealKeys } from './seal/keys/seal-keys.ts';
import { Ledger } from './seal/ledger.ts';
import type { Witness, WitnessReply } from './seal/sealer/witness.ts';
import { SealingLoop } from './seal/sealer/sealing-loop.ts';
import { LedgerStore } from './seal/store/ledger-store.ts';
import { createCosigner } from './seal/signer.ts';
import { CosignatureCollector, type CosignatureCollectorOptions } from './witness/cosignature-collector.ts';
import { CosignatureStore } from './witness/cosignature-store.ts';
import { LogWitness } from './witness/log-witness.ts';
import { PostgresWitnessMemory } from './witness/postgres-witness-memory.ts';
import { logKeysOf, type WitnessPeer, witnessPeers } from './witness/witness-peers.ts';
import type { Log } from '../platform/log/log.ts';
import type { Wake } from '../platform/postgres/wake.ts';
import type { Secrets } from '../platform/security/keyring/secrets.ts';
import { postToOperator, type Reply } from '../alerts/channels/post.ts';

export interface SealNeeds {
  readonly config: Pick<Config, 'dataDir' | 'publicUrl' | 'sealKey' | 'sealKeyPrevious' | 'checkpointUrl'>;
  readonly pool: pg.Pool;
  readonly log: Log;
  readonly wake: Wake;
  readonly master: MasterKeys;
  readonly secrets: Pick<Secrets, 'secret'>;
}

/** The sealed log and its signing keys. */
export interface Seal {
  /** The first one of the log (src/client/proofs/origin.ts). */
  readonly origin: string;
  readonly store: LedgerStore;
  readonly keys: SealKeys;
  readonly guard: EquivocationGuard;
  readonly ledger: Ledger;
  readonly cosignatures: CosignatureStore;
  /** This installation as the witness of other logs. */
  readonly witness: LogWitness;
  readonly peers: () => Promise<readonly WitnessPeer[]>;
}

/** The first start fixes the name (origin) of the log; a later change of PUBLIC_URL does not change it. */
export async function openSeal({ config, pool, log, wake, master, secrets }: SealNeeds): Promise<Seal> {
  const store = new LedgerStore(pool);
  const { origin } = await store.initialise(originOf(config.publicUrl));
  const keys = new SealKeys({ pool, master, origin, given: [config.sealKey, config.sealKeyPrevious].filter((key) => key !== undefined) });
  await keys.ensureKey();
  const file = new CheckpointFile(config.dataDir);
  const guard = new EquivocationGuard({ store, log, origin, keys: () => keys.trusted(), file });
  const cosignatures = new CosignatureStore(pool);
  const peers = (): Promise<readonly WitnessPeer[]> => witnessPeers(pool);
  const witness = new LogWitness({
    cosigner: async () => createCosigner(witnessNameOf(origin), await secrets.secret('witness')),
    keysOf: async (other) => logKeysOf(await peers(), other),
    memory: new PostgresWitnessMemory(pool),
    now: () => Math.floor(Date.now() / 1000),
  });
  const witnessKeys = async (): Promise<readonly string[]> => [
    ...new Set((await peers()).flatMap(({ witnessKey }) => (witnessKey === null ? [] : [witnessKey.text]))),
  ];
  const ledger = new Ledger({ pool, store, log, keys, origin, wake, witnessKeys });
  return { origin, store, keys, guard, ledger, cosignatures, witness, peers };
}

/** The name of the witness stands beside that of the log, with a key of its own. */
const witnessNameOf = (origin: string): string => origin.replace(/\/ledger$/, '/witness');

/** The address of the tiles without its scheme, as the format recommends; without PUBLIC_URL a random name. */
const originOf = (publicUrl: string | undefined): string =>
  publicUrl === undefined
    ? `watchledger-${randomBytes(6).toString('hex')}/api/ledger`
    : `${publicUrl.replace(/^https?:\/\//, '')}/api/ledger`;

export interface SealingNeeds extends Omit<SealNeeds, 'master' | 'secrets'> {
  readonly leases: PostgresLeases;
  readonly logger: Logger;
}

/** The operator names the witness, which may be anywhere (docs/decisions/probing.md). */
export function witnessAt(url: string): Witness {
  const request = postToOperator();
  const replyOf = (reply: Reply): WitnessReply => (reply.kind === 'answered' ? reply : { kind: 'failed', reason: reply.reason });
  return {
    send: async (note) => replyOf(await request({ url, body: note, headers: { 'content-type': 'text/plain; charset=utf-8' } })),
    recall: async () => replyOf(await request({ method: 'GET', url, body: '', headers: { accept: 'text/plain' } })),
  };
}

/** Submits a checkpoint to a witness that the operator agreed with, which may be anywhere. */
function submitCheckpoint(): CosignatureCollectorOptions['submit'] {
  const request = postToOperator();
  return async (url, body) => {
    const reply = await request({ url: `${url}/add-checkpoint`, body, headers: { 'content-type': 'text/plain; charset=utf-8' } });
    return reply.kind === 'answered' ? reply : { kind: 'failed', reason: reply.reason };
  };
}

export function sealingLoop(
  { origin, store, keys, guard: equivocation, cosignatures, peers }: Seal,
  { config, pool, log, wake, leases, logger }: SealingNeeds,
): SealingLoop {
  const { checkpointUrl } = config;
  let unkept: string | null = null;
  return new SealingLoop({
    pool,
    store,
    log,
    wake,
    origin,
    leases,
    guard: equivocation,
    signers: (signed) => keys.signersOf(signed),
    formerSigners: (signed) => keys.formerSigners(signed),
    witness: checkpointUrl === undefined ? undefined : witnessAt(checkpointUrl),
    collector: new CosignatureCollector({
      store,
      cosignatures,
      peers,
      submit: submitCheckpoint(),
      wake,
      report: (url, reason) => logger.warn({ witness: url, reason }, 'the witness did not cosign the checkpoint'),
    }),
    onSigned: () => {
      if (equivocation.unkept === unkept) return;
      unkept = equivocation.unkept;
      if (unkept !== null)
        logger.warn({ reason: unkept }, 'the last checkpoint could not be written to DATA_DIR: a restart would not know it');
    },
    onStopped: (reason) => {
      if (reason === null) logger.info('sealing resumed');
      else logger.error({ reason }, 'sealing stopped: the log does not match what was sealed before (docs/auditing.md)');
    },
    report: (error) => {
      logger.warn({ err: error }, 'sealing failed; retrying');
    },
  });
}
