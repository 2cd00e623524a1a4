import { openCheckpoint } from './checkpoint.ts';
import { DisownedKeys, disowningIn } from './disowned-keys.ts';
import type { Finding } from './finding.ts';
import type { SealedEvent } from './leaf.ts';
import type { VerifierKey } from './signed-note.ts';
import { generationOf } from './origin.ts';
import { generationAfter, truncationIn, type Truncation } from './truncation.ts';

export interface SignedCheckpoint {
  readonly note: string;
  /** The installation's own row; absent for a note kept elsewhere. */
  readonly row?: { readonly number: number; readonly root: Buffer };
  /** The name of a note kept elsewhere. */
  readonly keptAs?: string;
  readonly size: number;
}

interface Due {
  readonly name: string;
  readonly size: number;
  readonly root: Buffer;
  /** Number of losses declared when it was signed, as its origin states. */
  readonly generation: number;
}

interface Mismatch extends Due {
  /** The largest smaller size with a matching checkpoint. */
  readonly lastGood: number;
}

interface Trail {
  /** The first origin of the log. */
  readonly origin: string;
  readonly keys: readonly VerifierKey[];
  readonly checkpoints: AsyncIterable<SignedCheckpoint>;
}

/**
 * Checks every checkpoint ever signed against the tree while it is rebuilt. A mismatch is a finding, unless an operator declared the loss in the log
 * itself, which is known only at the end.
 */
export class CheckpointTrail {
  count = 0;
  /** Checkpoints over events that were declared lost. */
  givenUp = 0;
  #next: Due | null = null;
  #lastGood = 0;
  /** Number of listed checkpoints, which are numbered from 1 without gaps. */
  #listed = 0;
  #highest = 0;
  readonly #mismatchs: Mismatch[] = [];
  readonly #truncations: Truncation[] = [];
  readonly #disowned = new DisownedKeys();
  readonly #trail: Trail;
  readonly #checkpoints: AsyncIterator<SignedCheckpoint>;

  private constructor(trail: Trail) {
    this.#trail = trail;
    this.#checkpoints = trail.checkpoints[Symbol.asyncIterator]();
  }

  static async open(trail: Trail): Promise<{ readonly trail: CheckpointTrail; readonly finding: Finding | null }> {
    const opened = new CheckpointTrail(trail);
    return { trail: opened, finding: await opened.#advance() };
  }

  /** Number of events that the largest matching checkpoint covers. */
  get covered(): number {
    return this.#lastGood;
  }

  /** Some events say how checkpoints are to be judged. */
  noteEvent(event: SealedEvent): void {
    const disowning = disowningIn(event);
    if (disowning !== null) this.#disowned.noteDisowned(disowning);
    const truncation = truncationIn(event);
    if (truncation !== null) this.#truncations.push(truncation);
  }

  isDue(size: number): boolean {
    return this.#next?.size === size;
  }

  /** Checks the checkpoints of this size against the root of the rebuilt tree. */
  async checkRoot(size: number, root: Buffer): Promise<Finding | null> {
    while (this.#next?.size === size) {
      const finding = await this.#record(this.#next, this.#next.root.equals(root));
      if (finding !== null) return finding;
    }
    return null;
  }

  async finish(): Promise<Finding | null> {
    // The remaining checkpoints cover more events than the log has.
    while (this.#next !== null) {
      const finding = await this.#record(this.#next, false);
      if (finding !== null) return finding;
    }
    const worthless = this.#disowned.worthless();
    if (worthless !== null) return worthlessFinding(worthless);
    for (const mismatch of this.#mismatchs) {
      if (!this.#isExcused(mismatch)) return mismatchFinding(mismatch);
      this.givenUp++;
    }
    const removed = this.#highest - this.#listed;
    return removed === 0
      ? null
      : { kind: 'checkpoint', message: `${String(removed)} of ${String(this.#highest)} checkpoints were removed` };
  }

  /** Only a declaration made after the signing excuses a mismatch. */
  #isExcused({ size, generation }: Mismatch): boolean {
    return this.#truncations.some(
      (truncation) => generation < generationAfter(this.#trail.origin, truncation) && truncation.to < size && size <= truncation.from,
    );
  }

  #record(due: Due, fits: boolean): Promise<Finding | null> {
    if (fits) this.#lastGood = due.size;
    else this.#mismatchs.push({ ...due, lastGood: this.#lastGood });
    return this.#advance();
  }

  async #advance(): Promise<Finding | null> {
    this.#next = null;
    const step = await this.#checkpoints.next();
    if (step.done === true) return null;
    const { note, size, row, keptAs } = step.value;
    const name = row === undefined ? `the checkpoint kept as ${keptAs ?? 'evidence'}` : `checkpoint ${String(row.number)}`;
    const bad = (what: string): Finding => ({ kind: 'checkpoint', message: `${name} ${what}` });
    const opened = openCheckpoint(note, this.#trail.keys);
    if (opened.kind !== 'open') return bad('was not signed by a key of this log');
    const { checkpoint, signers } = opened;
    const generation = generationOf(this.#trail.origin, checkpoint.origin);
    if (generation === null) return bad(`belongs to another log, ${checkpoint.origin}`);
    if (size !== checkpoint.size || row?.root.equals(checkpoint.root) === false)
      return bad('is listed with a size or root that differs from the signed one');
    this.#disowned.noteSigned(
      { name, size },
      signers.map(({ text }) => text),
    );
    this.count++;
    if (row !== undefined) {
      this.#listed++;
      this.#highest = Math.max(this.#highest, row.number);
    }
    this.#next = { name, size, root: checkpoint.root, generation };
    return null;
  }
}

const worthlessFinding = ({ name, size }: Pick<Due, 'name' | 'size'>): Finding => ({
  kind: 'checkpoint',
  message: `${name} over ${String(size)} events was signed only by a key that the log had disowned before`,
});

function mismatchFinding({ name, size, lastGood }: Mismatch): Finding {
  const message = `${name} was signed over ${String(size)} events that differ from the first ${String(size)} of the log: the first difference is at ${String(lastGood)} or later`;
  return { kind: 'checkpoint', index: lastGood, message };
}
