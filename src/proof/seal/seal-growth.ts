import { type Coalesced, coalesced } from '../../kernel/cached.ts';
import type { Ledger } from './ledger.ts';
import { parseCheckpoint } from '../../client/proofs/checkpoint.ts';
import { parseNote } from '../../client/proofs/signed-note.ts';

/** A checkpoint that a reader has. */
export interface KnownTree {
  readonly origin: string;
  readonly size: number;
}

export interface GrownSeal {
  readonly seal: { readonly from: number | null; readonly to: number; readonly path: readonly string[]; readonly checkpoint: string };
  readonly now: KnownTree;
}

const KEPT_MS = 1_000;

/** The newest checkpoint, and the proof that it only extends the one that a reader has. Many readers of one second share the query. */
export class GrowthProofs {
  readonly #ledger: Pick<Ledger, 'checkpoint' | 'consistency'>;
  readonly #checkpoint: Coalesced<string | null>;

  constructor(ledger: Pick<Ledger, 'checkpoint' | 'consistency'>) {
    this.#ledger = ledger;
    this.#checkpoint = coalesced(() => ledger.checkpoint(), KEPT_MS);
  }

  /** Null when nothing is sealed yet; `from` is null when no proof leads from what the reader has, because the log continues under another origin. */
  async since(before: KnownTree | null): Promise<GrownSeal | null> {
    const kept = await this.#newest();
    const isBehind = before?.origin === kept?.origin && (before?.size ?? 0) > (kept?.size ?? 0);
    if (isBehind) this.#checkpoint.forget();
    const newest = isBehind ? await this.#newest() : kept;
    if (newest === null) return null;
    const { origin, size, checkpoint } = newest;
    const grown = (from: number | null, path: readonly string[]): GrownSeal => ({
      seal: { from, to: size, path, checkpoint },
      now: { origin, size },
    });
    if (before?.origin !== origin || before.size === 0 || before.size > size) return grown(null, []);
    if (before.size === size) return grown(size, []);
    const proof = await this.#ledger.consistency(before.size, size);
    return proof === null ? grown(null, []) : grown(before.size, proof.path);
  }

  async #newest(): Promise<(KnownTree & { readonly checkpoint: string }) | null> {
    const checkpoint = await this.#checkpoint();
    if (checkpoint === null) return null;
    const note = parseNote(checkpoint);
    const tree = note && parseCheckpoint(note.text);
    return tree && { origin: tree.origin, size: tree.size, checkpoint };
  }
}
