/** An operator's statement, as an event of the log, that a signing key leaked. */
export interface Disowning {
  /** Verifier key. */
  readonly key: string;
  /** Size of the last checkpoint that another key signed, too: of larger ones a signature of this key proves nothing. */
  readonly after: number;
}

export const SEAL_KEY_DISOWNED = 'SealKeyDisowned';

export function disowningIn(event: { readonly type: string; readonly data: object }): Disowning | null {
  if (event.type !== SEAL_KEY_DISOWNED || !('key' in event.data) || !('after' in event.data)) return null;
  const { key, after } = event.data;
  return typeof key === 'string' && typeof after === 'number' && Number.isSafeInteger(after) && after >= 0 ? { key, after } : null;
}

interface Signed {
  readonly name: string;
  readonly size: number;
}

/** Finds checkpoints that only disowned keys signed. The log says which keys those are only after the checkpoints were read. */
export class DisownedKeys {
  readonly #after = new Map<string, number>();
  /** For each set of signers the largest checkpoint. */
  readonly #largest = new Map<string, Signed & { readonly signers: readonly string[] }>();

  noteSigned(checkpoint: Signed, signers: readonly string[]): void {
    const key = signers.toSorted().join(' ');
    if ((this.#largest.get(key)?.size ?? -1) < checkpoint.size) this.#largest.set(key, { ...checkpoint, signers });
  }

  /** A later statement about the same key cannot restore it. */
  noteDisowned({ key, after }: Disowning): void {
    this.#after.set(key, Math.min(after, this.#after.get(key) ?? after));
  }

  /** A checkpoint that proves nothing. */
  worthless(): Signed | null {
    for (const { signers, ...checkpoint } of this.#largest.values())
      if (signers.every((signer) => checkpoint.size > (this.#after.get(signer) ?? Infinity))) return checkpoint;
    return null;
  }
}
