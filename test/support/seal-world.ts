import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type pg from 'pg';
import { Sealer, type SealerOptions } from '../../src/proof/seal/sealer/sealer.ts';
import { EquivocationGuard, type EquivocationGuardOptions } from '../../src/proof/seal/equivocation/equivocation-guard.ts';
import { LedgerStore, type StoredCheckpoint } from '../../src/proof/seal/store/ledger-store.ts';
import type { SealingLease } from '../../src/proof/seal/store/seal-writer.ts';
import { createTestDatabase, emptied, type TestDatabase } from './database.ts';
import { ORIGIN, signer, signerOf, verifierKeys } from './sealed-log.ts';
import { tableLog } from './log-table.ts';
import { LocalWake } from '../../src/platform/postgres/wake.ts';

export interface RunningSealer {
  readonly stop: AbortController;
  /** The error that ended it, if any. */
  readonly ended: Promise<Error | null>;
}

/** A log table that a test fills, its seal, and the sealers that the test starts on it. */
export class SealWorld {
  readonly store: LedgerStore;
  private readonly failures: Error[] = [];
  private readonly running: RunningSealer[] = [];

  constructor(readonly pool: pg.Pool) {
    this.store = new LedgerStore(pool);
  }

  start(options: Partial<SealerOptions> = {}, holds: SealingLease['holds'] = () => Promise.resolve(true)): RunningSealer {
    const stop = new AbortController();
    const sealer = new Sealer({
      ...{ pollMs: 100, stoppedPollMs: 50, quietMs: 50 },
      pool: this.pool,
      store: this.store,
      wake: new LocalWake(),
      log: { ...tableLog(this.pool), at: unused, locate: unused, follow: unused },
      origin: ORIGIN,
      guard: this.guard(),
      signers: (origin) => Promise.resolve([signerOf(origin)]),
      formerSigners: () => Promise.resolve([signer]),
      ...options,
    });
    const ended = sealer.run({ signal: stop.signal, holds }).then(
      () => null,
      (error: unknown) => {
        const failure = error instanceof Error ? error : new Error(String(error));
        this.failures.push(failure);
        return failure;
      },
    );
    this.running.push({ stop, ended });
    return { stop, ended };
  }

  /** What one instance knows outside the database; its file, by default in memory. */
  guard(file: EquivocationGuardOptions['file'] = fileInMemory()): EquivocationGuard {
    return guardOf(this.store, tableLog(this.pool), file);
  }

  /** The newest checkpoint, once it covers this many events. */
  signedSize(size: number): Promise<StoredCheckpoint> {
    return this.once(async () => {
      const latest = await this.store.latestCheckpoint();
      return latest?.size === size && latest;
    });
  }

  /** Waits until the value is available. */
  async once<T>(what: () => Promise<T | null | undefined | false>, milliseconds = 200_000): Promise<T> {
    for (const end = performance.now() + milliseconds; performance.now() < end;) {
      const value = await what();
      if (value !== null && value !== undefined && value !== false) return value;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`not within ${String(milliseconds)} ms: ${what.toString()}`, { cause: this.failures[0] });
  }

  async close(): Promise<void> {
    for (const { stop, ended } of this.running) {
      stop.abort();
      await ended;
    }
  }
}

export const guardOf = (store: LedgerStore, log: EquivocationGuardOptions['log'], file = fileInMemory()): EquivocationGuard =>
  new EquivocationGuard({ store, log, origin: ORIGIN, keys: () => Promise.resolve(verifierKeys), file });

export function fileInMemory(): EquivocationGuardOptions['file'] {
  let stored: string | null = null;
  return {
    path: 'last-checkpoint.json',
    read: () => Promise.resolve(stored),
    write: (note) => {
      stored = note;
      return Promise.resolve();
    },
  };
}

const unused = (): never => {
  throw new Error('not used by the sealer');
};

/** An empty log and an empty seal for each test. */
export function inFreshSeals(enter: (world: SealWorld) => void): void {
  let database: TestDatabase;
  let world: SealWorld;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  beforeEach(async () => {
    await emptied(database);
    world = new SealWorld(database.pool);
    await world.store.initialise(ORIGIN);
    enter(world);
  });
  afterEach(() => world.close());
  afterAll(() => database.drop());
}
