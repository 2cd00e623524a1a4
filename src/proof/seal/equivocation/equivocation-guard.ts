import type { Log } from '../../../platform/log/log.ts';
import { reasonOf } from '../../../kernel/system-error.ts';
import type { LedgerState, LedgerStore, StoredCheckpoint } from '../store/ledger-store.ts';
import { hashToText } from '../../../client/proofs/merkle-tree.ts';
import { originAt } from '../../../client/proofs/origin.ts';
import type { VerifierKey } from '../../../client/proofs/signed-note.ts';
import { TileTree } from '../../../client/proofs/tile-tree.ts';
import { generationAfter, type Truncation } from '../../../client/proofs/truncation.ts';
import { declarationsIn } from '../sealer/truncation.ts';
import { type CheckpointFile, isSameTree, type KnownCheckpoint, openKnown } from './checkpoint-file.ts';

export interface EquivocationGuardOptions {
  readonly store: LedgerStore;
  readonly log: Pick<Log, 'read'>;
  /** The first origin of the log. */
  readonly origin: string;
  readonly keys: () => Promise<readonly VerifierKey[]>;
  readonly file: Pick<CheckpointFile, 'read' | 'write' | 'path'>;
}

/** The ledger of this database does not lead to a checkpoint that was signed before. */
export interface Equivocation {
  /** `short`: it has fewer events; `differs`: it has other events. */
  readonly kind: 'short' | 'differs';
  readonly known: KnownCheckpoint;
  readonly reason: string;
}

const PAGE = 100;

type Comparison = 'agrees' | 'given up' | Equivocation['kind'];

/**
 * A transparency log must never sign two roots that contradict each other (equivocation). A failover or a restore can take back log, tiles and
 * checkpoints together, so what was signed last is also known in this process, in a file, by the witness, and by the other instances, which pass it on
 * in `ledger_evidence`.
 */
export class EquivocationGuard {
  /** Why the last checkpoint is not in the file; null when it is. */
  unkept: string | null = null;
  readonly #options: EquivocationGuardOptions;
  #own: KnownCheckpoint | null = null;
  #witness: KnownCheckpoint | null = null;
  #isFileRead = false;

  constructor(options: EquivocationGuardOptions) {
    this.#options = options;
  }

  /** Everything known outside the ledger of this database: of this instance, of the witness, and of other instances. */
  async known(): Promise<readonly KnownCheckpoint[]> {
    const { origin, keys } = this.#options;
    const trusted = await keys();
    await this.#readFile(trusted);
    // A key may have been disowned since they were learnt.
    const learnt = [this.#own, this.#witness].map((known) => known && openKnown(known, origin, trusted));
    return [...learnt, ...(await this.#passedOn(trusted))].filter((known) => known !== null);
  }

  /** The first checkpoint signed before that the next one would contradict. */
  async contradiction(): Promise<Equivocation | null> {
    const known = await this.known();
    const state = await this.#options.store.state();
    if (known.length === 0 || state === null) return null;
    for (const checkpoint of known) {
      const comparison = await this.#compare(checkpoint, state);
      if (comparison === 'short' || comparison === 'differs') return contradictionOf(comparison, checkpoint, state);
      if (checkpoint.isPassedOn === true) await this.#options.store.dropEvidence(checkpoint);
    }
    return null;
  }

  /** The loss that an operator may declare; null when the ledger of this database leads to the checkpoint, or its loss was declared. */
  async lossOf(checkpoint: KnownCheckpoint): Promise<(Truncation & { readonly checkpoint: string }) | null> {
    const { store } = this.#options;
    const state = await store.state();
    const comparison = state === null ? 'agrees' : await this.#compare(checkpoint, state);
    if (comparison === 'agrees' || comparison === 'given up') return null;
    return { from: checkpoint.size, to: await this.#provenBelow(checkpoint), checkpoint: checkpoint.note };
  }

  /** Opens a note that was kept elsewhere; null unless a key of this log signed it. */
  async openNote(note: string, source: string): Promise<KnownCheckpoint | null> {
    const { origin, keys } = this.#options;
    return openKnown({ note, source }, origin, await keys());
  }

  /** Before the checkpoint is committed: after a crash in between, the same checkpoint is signed again. An unwritable folder does not stop the seal. */
  async keep(checkpoint: Omit<KnownCheckpoint, 'source' | 'origin'>): Promise<void> {
    const { file, origin } = this.#options;
    const { note, generation } = checkpoint;
    this.#own = { ...checkpoint, origin: originAt(origin, generation), source: file.path };
    try {
      await file.write(note);
      this.unkept = null;
    } catch (error) {
      this.unkept = reasonOf(error);
    }
  }

  /** What the witness has. It can withhold a checkpoint, but not invent one. */
  async learn(note: string): Promise<void> {
    this.#witness = (await this.openNote(note, 'the witness')) ?? this.#witness;
  }

  /** For the sealer of any instance, after a restart of this one, too. */
  passOn({ known }: Equivocation): Promise<void> {
    return this.#options.store.addEvidence(known);
  }

  /** On a standby, keeps what the active sealer signs, and reports to it what this database has lost. */
  async follow(): Promise<Equivocation | null> {
    const { store, keys } = this.#options;
    await this.#readFile(await keys());
    const [state, latest] = [await store.state(), await store.currentCheckpoint()];
    const own = this.#own;
    if (state === null || (own !== null && latest !== null && isSameTree(own, latest) && own.generation === latest.generation)) return null;
    const comparison = own === null ? 'agrees' : await this.#compare(own, state);
    if (own !== null && (comparison === 'short' || comparison === 'differs')) {
      const contradiction = contradictionOf(comparison, own, state);
      await this.passOn(contradiction);
      return contradiction;
    }
    if (latest !== null && this.#own === own && isNewer(latest, own)) await this.keep(latest);
    return null;
  }

  async #passedOn(trusted: readonly VerifierKey[]): Promise<readonly (KnownCheckpoint | null)[]> {
    const { store, origin } = this.#options;
    return (await store.evidence()).map((evidence) => openKnown({ ...evidence, isPassedOn: true }, origin, trusted));
  }

  async #readFile(trusted: readonly VerifierKey[]): Promise<void> {
    if (this.#isFileRead) return;
    const { file, origin } = this.#options;
    const note = await file.read();
    this.#isFileRead = true;
    if (note !== null) this.#own ??= openKnown({ note, source: file.path }, origin, trusted);
  }

  async #compare(known: KnownCheckpoint, { size, generation }: LedgerState): Promise<Comparison> {
    const { store } = this.#options;
    const isCovered = size >= known.size;
    const isLater = known.generation > generation;
    if (!isLater && isCovered && (await new TileTree(store.readTiles).root(known.size)).equals(known.root)) return 'agrees';
    if (known.generation < generation && (await this.#isDeclaredLost(known))) return 'given up';
    return isCovered ? 'differs' : 'short';
  }

  /** The largest smaller size whose root was signed under the same origin and is that of this ledger. */
  async #provenBelow({ size, generation }: KnownCheckpoint): Promise<number> {
    const { store } = this.#options;
    const { size: sealed = 0 } = (await store.state()) ?? {};
    const tree = new TileTree(store.readTiles);
    for (let below = Math.min(size, sealed + 1); ;) {
      const page = await store.checkpointsBelow(below, generation, PAGE);
      for (const signed of page) if ((await tree.root(signed.size)).equals(signed.root)) return signed.size;
      below = page.at(-1)?.size ?? 0;
      if (below === 0) return 0;
    }
  }

  async #isDeclaredLost({ size, generation }: KnownCheckpoint): Promise<boolean> {
    const { log, origin } = this.#options;
    for await (const truncation of declarationsIn(log))
      if (truncation.to < size && size <= truncation.from && generation < generationAfter(origin, truncation)) return true;
    return false;
  }
}

const isNewer = (latest: StoredCheckpoint, own: KnownCheckpoint | null): boolean =>
  own === null || latest.generation > own.generation || latest.size > own.size;

function contradictionOf(kind: Equivocation['kind'], known: KnownCheckpoint, state: LedgerState): Equivocation {
  const { root, source } = known;
  const found = differenceOf(kind, known, state);
  const reason = `a checkpoint over ${String(known.size)} events (${hashToText(root)}) was signed before, and ${found}; it is known from ${source}`;
  return { kind, known, reason };
}

function differenceOf(kind: Equivocation['kind'], known: KnownCheckpoint, { size, origin, generation }: LedgerState): string {
  if (known.generation > generation)
    return `its origin ${known.origin} replaced ${originAt(origin, generation)}, which this database signs`;
  return kind === 'short' ? `this database has sealed only ${String(size)}` : 'the events of this database are others';
}
