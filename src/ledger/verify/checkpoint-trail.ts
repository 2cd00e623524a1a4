import { openCheckpoint } from './checkpoint.ts';
import type { Finding } from './finding.ts';
import type { SealedEvent } from './leaf.ts';
import type { VerifierKey } from './signed-note.ts';
import { truncationIn, type Truncation } from './truncation.ts';

export interface SignedCheckpoint {
  readonly note: string;
  /** As the installation lists it; a note that was kept elsewhere has no row. */
  readonly row?: { readonly number: number; readonly root: Buffer; readonly generation: number };
  /** Where a note lay that was kept elsewhere. */
  readonly keptAs?: string;
  readonly size: number;
}

interface Due {
  readonly name: string;
  readonly size: number;
  readonly root: Buffer;
  /** How many losses had been declared when it was signed; not known of one that was kept elsewhere. */
  readonly generation: number | undefined;
}

interface Misfit extends Due {
  /** The largest size before it whose checkpoint fits. */
  readonly lastGood: number;
}

interface Trail {
  readonly origin: string;
  readonly keys: readonly VerifierKey[];
  readonly checkpoints: AsyncIterable<SignedCheckpoint>;
  /** How many losses sealing went on behind. */
  readonly generation: number;
}

/**
 * Walks along every checkpoint ever signed while the tree is rebuilt. One that does not fit is a finding, unless an operator declared in
 * the log itself that what it covered was lost: that is known only at the end.
 */
export class CheckpointTrail {
  count = 0;
  /** Checkpoints over events that were declared lost. */
  givenUp = 0;
  #next: Due | null = null;
  #lastGood = 0;
  /** Of those that the installation lists; they are numbered from 1 without gaps. */
  #listed = 0;
  #highest = 0;
  readonly #misfits: Misfit[] = [];
  readonly #truncations: Truncation[] = [];
  readonly #trail: Trail;
  readonly #checkpoints: AsyncIterator<SignedCheckpoint>;

  private constructor(trail: Trail) {
    this.#trail = trail;
    this.#checkpoints = trail.checkpoints[Symbol.asyncIterator]();
  }

  static async begin(trail: Trail): Promise<{ readonly trail: CheckpointTrail; readonly finding: Finding | null }> {
    const begun = new CheckpointTrail(trail);
    return { trail: begun, finding: await begun.#advance() };
  }

  /** How many events the largest checkpoint covers that fits. */
  get covered(): number {
    return this.#lastGood;
  }

  hear(event: SealedEvent): void {
    const truncation = truncationIn(event);
    if (truncation !== null) this.#truncations.push(truncation);
  }

  isDue(size: number): boolean {
    return this.#next?.size === size;
  }

  /** The tree has come to this size and root. */
  async reach(size: number, root: Buffer): Promise<Finding | null> {
    while (this.#next?.size === size) {
      const finding = await this.#take(this.#next, this.#next.root.equals(root));
      if (finding !== null) return finding;
    }
    return null;
  }

  async finish(): Promise<Finding | null> {
    // What is left was signed over more events than there are.
    while (this.#next !== null) {
      const finding = await this.#take(this.#next, false);
      if (finding !== null) return finding;
    }
    for (const misfit of this.#misfits) {
      if (!this.#isExcused(misfit)) return misfitFinding(misfit);
      this.givenUp++;
    }
    const removed = this.#highest - this.#listed;
    return removed === 0
      ? null
      : { kind: 'checkpoint', message: `${String(removed)} of ${String(this.#highest)} checkpoints were removed` };
  }

  /** By a declaration that was made after it was signed: one that stands there already excuses nothing that comes later. */
  #isExcused({ size, generation }: Misfit): boolean {
    if (generation !== undefined && generation >= this.#trail.generation) return false;
    return this.#truncations.some(({ from, to }) => to < size && size <= from);
  }

  #take(due: Due, fits: boolean): Promise<Finding | null> {
    if (fits) this.#lastGood = due.size;
    else this.#misfits.push({ ...due, lastGood: this.#lastGood });
    return this.#advance();
  }

  async #advance(): Promise<Finding | null> {
    this.#next = null;
    const step = await this.#checkpoints.next();
    if (step.done === true) return null;
    const { note, size, row, keptAs } = step.value;
    const name = row === undefined ? `the checkpoint that was kept as ${keptAs ?? 'evidence'}` : `checkpoint ${String(row.number)}`;
    const bad = (what: string): Finding => ({ kind: 'checkpoint', message: `${name} ${what}` });
    const opened = openCheckpoint(note, this.#trail.keys);
    if (opened.kind !== 'open') return bad('was not signed by a key of this log');
    const { checkpoint } = opened;
    if (checkpoint.origin !== this.#trail.origin) return bad(`is of another log, ${checkpoint.origin}`);
    if (size !== checkpoint.size || row?.root.equals(checkpoint.root) === false)
      return bad('is listed with another size or root than was signed');
    this.count++;
    if (row !== undefined) {
      this.#listed++;
      this.#highest = Math.max(this.#highest, row.number);
    }
    this.#next = { name, size, root: checkpoint.root, generation: row?.generation };
    return null;
  }
}

function misfitFinding({ name, size, lastGood }: Misfit): Finding {
  const message = `${name} was signed over ${String(size)} events, and these are not the first ${String(size)} of the log: the first that differs stands at ${String(lastGood)} or behind`;
  return { kind: 'checkpoint', index: lastGood, message };
}
