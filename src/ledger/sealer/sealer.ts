import { setTimeout } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../../log/log.ts';
import type { Signer } from '../signer.ts';
import { describeCheckpoint, type LedgerStore } from '../store/ledger-store.ts';
import { SealerDisplaced, SealWriter, type SealingLease } from '../store/seal-writer.ts';
import { TileMissing, TileTree } from '../verify/tile-tree.ts';
import { EdgeTooShort, edgeOf, TileWriter } from '../verify/tile-writer.ts';
import { GrowingSeal } from './growing-seal.ts';
import { readTip } from './tip.ts';
import { findDeclared, isHonest } from './truncation.ts';

export interface SealerOptions {
  readonly pool: pg.Pool;
  readonly store: LedgerStore;
  readonly log: Log;
  readonly origin: string;
  /** Asked before each checkpoint, so that a new key signs without a restart. */
  readonly signers: () => Promise<readonly Signer[]>;
  /** After the commit; the witness hears of it here. */
  readonly onSigned?: (note: string) => void;
  /** Once when sealing stops, with the reason, and once with null when it goes on. */
  readonly onStopped?: (reason: string | null) => void;
}

const BATCH = 2000;
/** Written in one transaction while there is much to catch up with. */
const COMMIT = 10_000;
/** Also how soon a log that lost events is noticed, when nothing is added. */
const POLL_MS = 1_000;
const STOPPED_POLL_MS = 1_000;

/** Going on would sign a tree that contradicts what was signed before. */
class TilesDamaged extends Error {
  override readonly name = 'TilesDamaged';
}

/**
 * Follows the log and seals it: leaves become tiles, and from time to time a checkpoint is signed over them. Runs beside the appending,
 * never in its way, on one instance at a time.
 */
export class Sealer {
  readonly #options: SealerOptions;
  #stopped: string | null = null;

  constructor(options: SealerOptions) {
    this.#options = options;
  }

  /** Until the lease ends; throws when the database does not answer, or when another sealer was faster. Then begin again, with a lease. */
  async run(lease: SealingLease): Promise<void> {
    const writer = new SealWriter(this.#options.pool, lease);
    let seal = await this.#loadSound(writer, lease.signal);
    while (seal !== null && !lease.signal.aborted) {
      const tip = await readTip(this.#options.log, seal, BATCH);
      if (tip.kind === 'broken') {
        await seal.commit();
        await this.#refuseToBeAhead(seal);
        if (await this.#giveUp(writer, seal.size, tip.reason)) seal = await this.#loadSound(writer, lease.signal);
        else await pause(lease.signal);
        continue;
      }
      this.#tell(null);
      await seal.add(tip.events);
      if (seal.pending >= COMMIT || tip.events.length < BATCH) await seal.commit();
      if (seal.pending > 0) continue;
      if (tip.events.length === 0) await this.#refuseToBeAhead(seal);
      if (seal.dueIn() === 0) {
        const note = await seal.sign(this.#options.origin, await this.#options.signers());
        this.#options.onSigned?.(note);
      }
      if (tip.events.length < BATCH) await this.#options.log.waitBeyond(seal.size - 1, Math.min(POLL_MS, seal.dueIn()), lease.signal);
    }
  }

  /** Waits while the tiles are damaged: an operator can have them made again. Null: the lease ended first. */
  async #loadSound(writer: SealWriter, signal: AbortSignal): Promise<GrowingSeal | null> {
    while (!signal.aborted) {
      try {
        return await this.#load(writer);
      } catch (error) {
        if (!(error instanceof TilesDamaged || error instanceof TileMissing || error instanceof EdgeTooShort)) throw error;
        await this.#stop(writer, `${error.message}; they are made again by: watchledger seal mend`);
        await pause(signal);
      }
    }
    return null;
  }

  async #load(writer: SealWriter): Promise<GrowingSeal> {
    const { store } = this.#options;
    const { size = 0, generation = 0 } = (await store.state()) ?? {};
    const tree = new TileTree(store.readTiles);
    const tiles = new TileWriter(size, await store.readTiles(edgeOf(size)));
    const last = size === 0 ? null : await tree.leaf(size - 1);
    const signed = await store.latestCheckpoint();
    if (signed?.generation === generation && !(await tree.root(signed.size)).equals(signed.root)) {
      throw new TilesDamaged(`the stored tiles do not lead to ${describeCheckpoint(signed)}`);
    }
    return new GrowingSeal(writer, tiles, last, signed?.size === size && signed.generation === generation);
  }

  /** A database that lost its last moment, as in a failover, holds less than is remembered here, of the log and of the seal alike. */
  async #refuseToBeAhead(seal: GrowingSeal): Promise<void> {
    const { size = 0 } = (await this.#options.store.state()) ?? {};
    if (size !== seal.size) throw new SealerDisplaced(`the ledger is no longer at ${String(seal.size)}, but at ${String(size)}`);
  }

  /** Nothing is signed while the log contradicts what was sealed, until it is right again or an operator declares the loss. True: sealing goes on. */
  async #giveUp(writer: SealWriter, size: number, reason: string): Promise<boolean> {
    const { log, store } = this.#options;
    const declared = await findDeclared(log, size);
    if (declared !== null && (await isHonest(log, new TileTree(store.readTiles), declared))) {
      await writer.cutBack(declared.from, declared.to);
      return true;
    }
    await this.#stop(writer, reason);
    return false;
  }

  async #stop(writer: SealWriter, reason: string): Promise<void> {
    await writer.stop(reason);
    this.#tell(reason);
  }

  #tell(reason: string | null): void {
    if (reason === this.#stopped) return;
    this.#stopped = reason;
    this.#options.onStopped?.(reason);
  }
}

const pause = (signal: AbortSignal): Promise<unknown> => setTimeout(STOPPED_POLL_MS, undefined, { signal }).catch(() => undefined);
