import { masterKeys } from '../../../support/master-keys.ts';
import { openPool } from '../../../../src/platform/postgres/pool.ts';
import { LocalWake } from '../../../../src/platform/postgres/wake.ts';
import { verifyLog } from '../../../../src/client/proofs/verify-log.ts';
import { wholeLog } from '../../../../src/proof/seal/whole-log.ts';
import { PostgresSecrets } from '../../../../src/platform/security/keyring/secrets.ts';
import { PostgresLog } from '../../../../src/platform/log/postgres-log.ts';
import { openSeal } from '../../../../src/proof/sealing.ts';
import { type ReplayOptions, replayProjection, replayViews } from '../../../../src/platform/read-models/admin/replay.ts';
import { setTarget } from '../../../../src/platform/read-models/sets/set-lifecycle.ts';
import { localSetWork } from '../../../../src/platform/read-models/sets/set-work.ts';
import { viewUnit } from '../../../../src/platform/read-models/views/unit.ts';
import { coreViews } from '../../../../src/app/projection-table.ts';
import titles from '../titles.projection.ts';
import type { Invariant } from './invariant.ts';

/** Every read model is the fold of the log, row by row. */
export const readModels: Invariant = async ({ url }) => {
  const db = openPool(url, { name: 'faults replay', max: 4, statementTimeoutMs: 0 });
  const log = new PostgresLog(db, new LocalWake());
  const tools: ReplayOptions = { log, db, signal: new AbortController().signal, progress: () => undefined };
  try {
    const differences = [
      ...(await replayViews(viewUnit('core', coreViews), tools)),
      ...(await replayProjection(setTarget(titles, localSetWork(titles, { log, db }), db), tools)),
    ];
    return differences.map(({ view, key, kind }) => `a read model differs from the log: ${view} ${key} is ${kind}`);
  } finally {
    await db.end();
  }
};

/** The log is consistent with every checkpoint ever signed, including those only the witness has; and sealing continues. */
export const sealed: Invariant = async ({ pool, masterKey, notes }) => {
  const wake = new LocalWake();
  const log = new PostgresLog(pool, wake);
  const config = {
    dataDir: '/nonexistent',
    publicUrl: undefined,
    sealKey: undefined,
    sealKeyPrevious: undefined,
    checkpointUrl: undefined,
  };
  const master = masterKeys(pool, Buffer.from(masterKey, 'hex'));
  const { store, keys } = await openSeal({ config, pool, log, wake, master, secrets: new PostgresSecrets(pool, master) });
  const verdict = await verifyLog(await wholeLog({ pool, store, keys: await keys.listed(), kept: notes }));
  const stopped = (await store.state())?.stopped ?? null;
  return [
    ...(verdict.kind === 'tampered' ? [`the seal does not verify: ${verdict.finding.message}`] : []),
    ...(stopped === null ? [] : [`sealing has stopped: ${stopped}`]),
  ];
};
