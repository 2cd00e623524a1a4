import type pg from 'pg';
import { pause } from '../../../kernel/abortable.ts';
import type { Log } from '../../../platform/log/log.ts';
import type { Bell, Wake } from '../../../platform/postgres/wake.ts';
import type { Equivocation, EquivocationGuard } from '../equivocation/equivocation-guard.ts';
import type { Signer } from '../signer.ts';
import { describeCheckpoint, type LedgerStore } from '../store/ledger-store.ts';
import { SealerDisplaced, SealWriter, type SealingLease } from '../store/seal-writer.ts';
import { TileMissing, TileTree } from '../../../client/proofs/tile-tree.ts';
import { EdgeTooShort, TileWriter } from '../../../client/proofs/tile-writer.ts';
import { originAt } from '../../../client/proofs/origin.ts';
import { generationAfter } from '../../../client/proofs/truncation.ts';
import { endOfOrigin } from './end-of-origin.ts';
import { GrowingSeal } from './growing-seal.ts';
import { readTip } from './tip.ts';
import { findDeclared, isDeclaredWith, matchesSeal } from './truncation.ts';

export interface SealerOptions {
  readonly pool: pg.Pool;
  readonly store: LedgerStore;
  readonly log: Log;
  readonly wake: Pick<Wake, 'ring' | 'bell'>;
  /** The first origin of the log. */
  readonly origin: string;
  readonly guard: EquivocationGuard;
  /** Reads the signers of an origin before each checkpoint, so that a new key signs without a restart. */
  readonly signers: (origin: string) => Promise<readonly Signer[]>;
  /** Reads the signers of the origins before it, which sign that they ended. */
  readonly formerSigners: (origin: string) => Promise<readonly Signer[]>;
  /** While nothing is appended: the delay until a log that lost events, or a contradiction that another instance learned of, is detected. */
  readonly pollMs?: number;
  /** The same while sealing is stopped. */
  readonly stoppedPollMs?: number;
  /** How long the log has to be quiet to be signed. */
  readonly quietMs?: number;
  /** Whether a witness is asked to cosign right now. */
  readonly isWitnessing?: () => boolean;
  /** Called after the commit. */
  readonly onSigned?: (note: string) => void;
  /** Called with the reason when sealing stops, and with null when it resumes. */
  readonly onStopped?: (reason: string | null) => void;
}

/** Rings while a reader waits for a checkpoint that covers what it reads. */
export const CHECKPOINT_WANTED = 'checkpoint wanted';
/** Rings when a checkpoint was signed, or cosigned. */
export const CHECKPOINT_SIGNED = 'checkpoint signed';

const BATCH = 2000;
/** Events per transaction while catching up. */
const COMMIT_EVENTS = 10_000;
/** Events that follow within this time are sealed by one transaction. */
const GATHER_MS = 200;
const POLL_MS = 5_000;
const STOPPED_POLL_MS = 1_000;

/** Continuing would sign a tree that contradicts an earlier checkpoint. */
class TilesDamaged extends Error {
  override readonly name = 'TilesDamaged';
}

/**
 * Seals the log: adds each event as a leaf of a Merkle tree (RFC 6962), stores the tree as tiles (C2SP tlog-tiles) and signs checkpoints over it. Runs
 * asynchronously to appends, on one instance at a time.
 */
export class Sealer {
  readonly #options: SealerOptions;
  #stopped: string | null = null;

  constructor(options: SealerOptions) {
    this.#options = options;
  }

  /** Runs until the lease ends. Throws when the database does not answer or another sealer took over; the caller restarts with a new lease. */
  async run(lease: SealingLease): Promise<void> {
    const wanted = this.#options.wake.bell(CHECKPOINT_WANTED);
    try {
      await this.#run(lease, wanted);
    } finally {
      wanted.close();
    }
  }

  async #run(lease: SealingLease, wanted: Bell): Promise<void> {
    const writer = new SealWriter(this.#options.pool, lease);
    let seal = await this.#loadWhenIntact(writer, lease.signal);
    let isCompared = false;
    while (seal !== null && !lease.signal.aborted) {
      const tip = await readTip(this.#options.log, seal, BATCH);
      if (tip.kind === 'broken') {
        await seal.commit();
        await this.#refuseRollback(seal);
        if (await this.#cutBackIfDeclared(writer, seal, tip.reason)) seal = await this.#loadWhenIntact(writer, lease.signal);
        else await this.#pauseStopped(lease.signal);
        isCompared = false;
        continue;
      }
      if (!isCompared) {
        const contradiction = await this.#options.guard.contradiction();
        if (contradiction !== null && !(await this.#mayAddTo(contradiction))) {
          await this.#options.guard.passOn(contradiction);
          await this.#stop(writer, contradiction.reason);
          await this.#pauseStopped(lease.signal);
          continue;
        }
        isCompared = contradiction === null;
      }
      if (isCompared) await this.#resume(writer);
      await seal.add(tip.events);
      if (seal.pending >= COMMIT_EVENTS || tip.events.length < BATCH) await seal.commit();
      if (seal.pending > 0) continue;
      if (tip.events.length === 0) {
        await this.#refuseRollback(seal);
        // Another instance may have learned of a contradiction: it is reported without waiting for the next event.
        isCompared = false;
      }
      // While events are unsigned, this loop runs several times a second: at each of them, or 300 ms after the last.
      if (await wanted.wait(0)) seal.wanted();
      if (seal.dueIn() === 0) {
        isCompared = (await this.#options.guard.contradiction()) === null;
        if (!isCompared) continue;
        await this.#sign(writer, seal);
      }
      if (tip.events.length === BATCH) continue;
      if (tip.events.length > 0) await pause(Math.min(GATHER_MS, seal.dueIn()), lease.signal);
      await this.#options.log.waitBeyond(seal.size - 1, Math.min(this.#options.pollMs ?? POLL_MS, seal.dueIn()), lease.signal);
    }
  }

  async #sign(writer: SealWriter, seal: GrowingSeal): Promise<void> {
    const { guard, onSigned, wake } = this.#options;
    const { generation } = seal;
    const signers = await this.#options.signers(originAt(this.#options.origin, generation));
    if (signers.length === 0)
      return this.#stop(writer, 'no key may sign: run `watchledger seal rotate`, or set SEAL_KEY to a key that is not retired');
    const ended = await endOfOrigin(this.#options, generation, signers);
    const note = await seal.sign(signers, (checkpoint) => guard.keep(checkpoint), ended);
    onSigned?.(note);
    wake.ring(CHECKPOINT_SIGNED);
  }

  /**
   * Nothing is signed while it would contradict an earlier checkpoint. The tree grows where that may end the contradiction: the log has as many events as were
   * signed before, and sealing them shows whether they are the same; or it declares that checkpoint lost.
   */
  async #mayAddTo({ kind, known }: Equivocation): Promise<boolean> {
    const { log, origin } = this.#options;
    return (kind === 'short' && (await log.head()) + 1 >= known.size) || isDeclaredWith(log, origin, known);
  }

  /** Waits while the tiles are damaged, until an operator has them repaired; null when the lease ends first. */
  async #loadWhenIntact(writer: SealWriter, signal: AbortSignal): Promise<GrowingSeal | null> {
    while (!signal.aborted) {
      try {
        return await this.#load(writer);
      } catch (error) {
        if (!(error instanceof TilesDamaged || error instanceof TileMissing || error instanceof EdgeTooShort)) throw error;
        await this.#stop(writer, `${error.message}; repair the tiles with: watchledger seal mend`);
        await this.#pauseStopped(signal);
      }
    }
    return null;
  }

  async #load(writer: SealWriter): Promise<GrowingSeal> {
    const { store } = this.#options;
    const { size = 0, generation = 0, stopped = null } = (await store.state()) ?? {};
    this.#stopped ??= stopped;
    const tree = new TileTree(store.readTiles);
    const tiles = new TileWriter(size, await tree.edge(size));
    const last = size === 0 ? null : await tree.leaf(size - 1);
    const signed = await store.currentCheckpoint();
    if (signed !== null && !(await tree.root(signed.size)).equals(signed.root))
      throw new TilesDamaged(`the stored tiles do not match ${describeCheckpoint(signed)}`);
    const { origin, quietMs, isWitnessing = () => false } = this.#options;
    return new GrowingSeal(writer, tiles, origin, { last, generation, isSigned: signed?.size === size, quietMs, isWitnessing });
  }

  /** After a failover that lost commits, the database may hold less of log and seal than this process remembers. */
  async #refuseRollback(seal: GrowingSeal): Promise<void> {
    const { size = 0 } = (await this.#options.store.state()) ?? {};
    if (size !== seal.size) throw new SealerDisplaced(`the ledger has ${String(size)} events instead of ${String(seal.size)}`);
  }

  /** Signs nothing while the log contradicts the seal, until it is restored or an operator declares the loss; true when sealing may resume. */
  async #cutBackIfDeclared(writer: SealWriter, { size, generation }: GrowingSeal, reason: string): Promise<boolean> {
    const { log, store, origin } = this.#options;
    const declared = await findDeclared(log, { origin, size, generation });
    if (declared !== null && (await matchesSeal(log, new TileTree(store.readTiles), declared))) {
      await writer.cutBack(declared.from, declared.to, Math.max(generation + 1, generationAfter(origin, declared)));
      return true;
    }
    await this.#stop(writer, reason);
    return false;
  }

  #pauseStopped(signal: AbortSignal): Promise<void> {
    return pause(this.#options.stoppedPollMs ?? STOPPED_POLL_MS, signal);
  }

  async #stop(writer: SealWriter, reason: string): Promise<void> {
    await writer.stop(reason);
    this.#reportStopped(reason);
  }

  async #resume(writer: SealWriter): Promise<void> {
    if (this.#stopped === null) return;
    await writer.resume();
    this.#reportStopped(null);
  }

  #reportStopped(reason: string | null): void {
    if (reason === this.#stopped) return;
    this.#stopped = reason;
    this.#options.onStopped?.(reason);
  }
}
