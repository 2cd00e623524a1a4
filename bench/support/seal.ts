import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { CheckpointFile } from '../../src/proof/seal/equivocation/checkpoint-file.ts';
import { EquivocationGuard } from '../../src/proof/seal/equivocation/equivocation-guard.ts';
import type { SealKeys } from '../../src/proof/seal/keys/seal-keys.ts';
import { SealingLoop } from '../../src/proof/seal/sealer/sealing-loop.ts';
import type { LedgerStore } from '../../src/proof/seal/store/ledger-store.ts';
import type { PostgresLog } from '../../src/platform/log/postgres-log.ts';
import { PostgresLeases } from '../../src/platform/postgres/postgres-leases.ts';
import type { LocalWake } from '../../src/platform/postgres/wake.ts';

interface Sealing {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly wake: LocalWake;
  readonly log: PostgresLog;
  readonly store: LedgerStore;
  readonly origin: string;
  readonly keys: SealKeys;
}

/** Waits until the checkpoint over this many events is signed, then stops sealing. */
export async function seal({ url, wake, keys, ...rest }: Sealing, events: number): Promise<void> {
  const leases = new PostgresLeases(url, wake);
  const failed: unknown[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'watchledger-bench-'));
  const guard = new EquivocationGuard({ ...rest, keys: () => keys.listed(), file: new CheckpointFile(folder) });
  const loop = new SealingLoop({
    ...rest,
    wake,
    guard,
    leases,
    signers: (of) => keys.signersOf(of),
    formerSigners: (of) => keys.formerSigners(of),
    report: (error) => failed.push(error),
  });
  loop.start();
  while ((await rest.store.latestCheckpoint())?.size !== events) {
    if (failed.length > 0) throw failed[0];
    await new Promise((again) => setTimeout(again, 50));
  }
  await loop.close();
  await leases.close();
  rmSync(folder, { recursive: true, force: true });
}
