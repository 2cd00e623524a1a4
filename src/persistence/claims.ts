/**
 * Something that only one may have, taken before it is written down: claim, append, keep. What was never kept is freed only by the
 * sweeper, after a fence stands in the holder's stream, so that a holder who wakes up late finds that he lost.
 */
export interface Claims {
  /** One key. True when it is the holder's, now or already. */
  claim(kind: string, key: string, holder: string, seconds?: number): Promise<boolean>;
  /** The lowest free of the owner's places 1…max (null: without a bound); its key, the same one again for the same holder, null when all are taken. */
  claimSlot(kind: string, owner: string, max: number | null, holder: string, seconds?: number): Promise<string | null>;
  /** The next integer from 1, never given to two and never given again; the same one for the same holder. It needs no keeping. */
  claimNext(kind: string, holder: string): Promise<number>;
  /** From now on it is the holder's until released. False when it is not his any more. */
  keep(kind: string, key: string, holder: string): Promise<boolean>;
  release(kind: string, key: string, holder: string): Promise<void>;
  releaseAll(kind: string, holder: string): Promise<void>;
  holderOf(kind: string, key: string): Promise<string | null>;
  /** Unkept, and past their time: for the sweeper. */
  expired(limit: number): Promise<readonly Claim[]>;
  /** Frees one of those; not when its holder claimed it anew or kept it meanwhile. */
  free(claim: Claim): Promise<void>;
}

export interface Claim {
  readonly kind: string;
  readonly key: string;
  readonly holder: string;
}

/** Injection token. */
export const CLAIMS = Symbol('Claims');

/** Longer than a command may take, all its repeats included. */
export const CLAIM_SECONDS = 120;

/**
 * Decides what was never kept. `fence` appends to the holder's stream what bars him (expecting no stream), and answers whether that stands
 * there (`fenced`) or he was faster (`holder won`). One that cannot be decided holds up no other; it is told at the end, and swept again.
 */
export async function sweepClaims(claims: Claims, fence: (claim: Claim) => Promise<'fenced' | 'holder won'>, limit = 100): Promise<number> {
  const expired = await claims.expired(limit);
  const undecided: unknown[] = [];
  for (const claim of expired) {
    try {
      if ((await fence(claim)) === 'fenced') await claims.free(claim);
      else await claims.keep(claim.kind, claim.key, claim.holder);
    } catch (error) {
      undecided.push(error);
    }
  }
  if (undecided.length > 0) throw new AggregateError(undecided, `${String(undecided.length)} claims could not be decided`);
  return expired.length;
}
