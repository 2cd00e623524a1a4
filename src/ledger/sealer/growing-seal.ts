import { setImmediate } from 'node:timers/promises';
import type { LogEvent } from '../../kernel/event.ts';
import { signCheckpoint, type Signer } from '../signer.ts';
import type { NewCheckpoint, SealWriter } from '../store/seal-writer.ts';
import type { TileWriter } from '../verify/tile-writer.ts';
import { SigningSchedule } from './signing-schedule.ts';
import { leafHashOf } from './tip.ts';

/** Hashes per turn of the event loop, about a millisecond of work, so that requests are served in between. */
const SLICE = 128;

/** The growing right edge of the Merkle tree, in memory and in the database. */
export class GrowingSeal {
  readonly #schedule = new SigningSchedule();
  /** Number of events whose tiles are committed. */
  #committed: number;

  constructor(
    private readonly writer: SealWriter,
    private readonly tiles: TileWriter,
    public last: Buffer | null,
    isSigned: boolean,
  ) {
    this.#committed = tiles.size;
    if (!isSigned && tiles.size > 0) this.#schedule.grew(performance.now());
  }

  get size(): number {
    return this.tiles.size;
  }

  dueIn(): number {
    return this.#schedule.dueIn(performance.now());
  }

  async add(events: readonly LogEvent[]): Promise<void> {
    for (const [at, event] of events.entries()) {
      this.last = leafHashOf(event);
      this.tiles.append(this.last);
      if (at % SLICE === SLICE - 1) await setImmediate();
    }
    if (events.length > 0) this.#schedule.grew(performance.now());
  }

  get pending(): number {
    return this.tiles.size - this.#committed;
  }

  async commit(): Promise<void> {
    if (this.pending === 0) return;
    await this.writer.grow(this.#committed, this.tiles.size, this.tiles.takeChanged());
    this.#committed = this.tiles.size;
  }

  /** `keep` stores the checkpoint outside the database before it is committed, and so before anyone sees it. */
  async sign(origin: string, signers: readonly Signer[], keep: (checkpoint: NewCheckpoint) => Promise<void>): Promise<string> {
    const { size } = this.tiles;
    const root = this.tiles.root();
    const note = signCheckpoint({ origin, size, root }, signers);
    await keep({ size, root, note });
    await this.writer.sign({ size, root, note });
    this.#schedule.signed();
    return note;
  }
}
