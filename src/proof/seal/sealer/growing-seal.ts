import { setImmediate } from 'node:timers/promises';
import type { LogEvent } from '../../../kernel/event.ts';
import { signCheckpoint, type Signer } from '../signer.ts';
import type { NewCheckpoint, NewOriginEnd, OriginBreak, SealWriter } from '../store/seal-writer.ts';
import { originAt } from '../../../client/proofs/origin.ts';
import type { TileWriter } from '../../../client/proofs/tile-writer.ts';
import { leafHashOf } from './tip.ts';
import { breakIn } from './truncation.ts';

/** A log without new events for this long is quiet and gets signed. */
const QUIET_MS = 300;
/** The signing interval while events keep arriving. */
const BUSY_MS = 45_000;
/** The shortest one, however many readers wait. */
const WANTED_MS = 1_000;
/** The same while a witness is asked: it cosigns only the next checkpoint, which covers more when it is signed as the witness becomes free. */
const WITNESSING_MS = 2_000;

/** Decides when the next checkpoint is due: soon after the last event of a quiet log, at least once a minute in a busy one, and within a second where a reader waits for one. */
export class SigningSchedule {
  readonly #quietMs: number;
  #unsignedSince: number | null = null;
  #lastEventAt = 0;
  #signedAt = -Infinity;
  #isWanted = false;

  constructor(quietMs = QUIET_MS) {
    this.#quietMs = quietMs;
  }

  /** `now` in milliseconds of a monotonic clock. */
  grew(now: number): void {
    this.#unsignedSince ??= now;
    this.#lastEventAt = now;
  }

  /** A reader waits for a checkpoint over events that none covers yet. */
  wanted(): void {
    this.#isWanted = true;
  }

  signed(now: number): void {
    this.#unsignedSince = null;
    this.#signedAt = now;
    this.#isWanted = false;
  }

  /** 0: now; Infinity: not before an event is added. */
  dueIn(now: number, isWitnessing = false): number {
    if (this.#unsignedSince === null) return Infinity;
    const wantedAt = this.#isWanted ? this.#signedAt + (isWitnessing ? WITNESSING_MS : WANTED_MS) : Infinity;
    const due = Math.min(this.#lastEventAt + this.#quietMs, this.#unsignedSince + BUSY_MS, wantedAt);
    return Math.max(0, due - now);
  }
}

/** Hashes per turn of the event loop, about a millisecond of work, so that requests are served in between. */
const SLICE = 128;

/** The growing right edge of the Merkle tree, in memory and in the database. */
export class GrowingSeal {
  readonly #schedule: SigningSchedule;
  /** Number of events whose tiles are committed. */
  #committed: number;
  /** Declared by events that are not committed yet. */
  #breaks: readonly OriginBreak[] = [];
  #generation: number;
  readonly #isWitnessing: () => boolean;

  constructor(
    private readonly writer: SealWriter,
    private readonly tiles: TileWriter,
    /** The first origin of the log. */
    private readonly origin: string,
    {
      last,
      isSigned,
      generation,
      quietMs,
      isWitnessing,
    }: Pick<GrowingSeal, 'last' | 'generation'> & {
      readonly isSigned: boolean;
      readonly quietMs: number | undefined;
      readonly isWitnessing: () => boolean;
    },
  ) {
    this.#isWitnessing = isWitnessing;
    this.#schedule = new SigningSchedule(quietMs);
    this.last = last;
    this.#generation = generation;
    this.#committed = tiles.size;
    if (!isSigned && tiles.size > 0) this.#schedule.grew(performance.now());
  }

  /** The hash of the last leaf. */
  last: Buffer | null;

  /** Number of losses declared in the committed events: the origin of the next checkpoint. */
  get generation(): number {
    return this.#generation;
  }

  get size(): number {
    return this.tiles.size;
  }

  wanted(): void {
    this.#schedule.wanted();
  }

  dueIn(): number {
    return this.#schedule.dueIn(performance.now(), this.#isWitnessing());
  }

  async add(events: readonly LogEvent[]): Promise<void> {
    for (const [at, event] of events.entries()) {
      this.last = leafHashOf(event);
      this.tiles.append(this.last);
      const declared = breakIn(this.origin, event);
      if (declared !== null) this.#breaks = [...this.#breaks, declared];
      if (at % SLICE === SLICE - 1) await setImmediate();
    }
    if (events.length > 0) this.#schedule.grew(performance.now());
  }

  get pending(): number {
    return this.tiles.size - this.#committed;
  }

  async commit(): Promise<void> {
    if (this.pending === 0) return;
    await this.writer.grow(this.#committed, this.tiles.size, this.tiles.takeChanged(), this.#breaks);
    this.#committed = this.tiles.size;
    this.#generation = Math.max(this.#generation, ...this.#breaks.map(({ generation }) => generation));
    this.#breaks = [];
  }

  /** `keep` stores the checkpoint outside the database before it is committed, and so before anyone sees it. */
  async sign(signers: readonly Signer[], keep: (checkpoint: NewCheckpoint) => Promise<void>, ended: NewOriginEnd | null): Promise<string> {
    const { size } = this.tiles;
    const root = this.tiles.root();
    const generation = this.#generation;
    const note = signCheckpoint({ origin: originAt(this.origin, generation), size, root }, signers);
    await keep({ size, root, note, generation });
    await this.writer.sign({ size, root, note, generation }, ended);
    this.#schedule.signed(performance.now());
    return note;
  }
}
