/**
 * Unique values by the reservation pattern: claim, append the event, keep. A claim that was never kept is freed only by the sweeper, after it has
 * appended a fence to the holder's stream, so that a holder that resumes late cannot win.
 */
export abstract class Claims {
  /** One key. True when the holder has it, now or since before. */
  abstract claim(kind: string, key: string, holder: string, seconds?: number): Promise<boolean>;
  /** The key of one of the owner's `max` slots (null for unlimited), the same one for the same holder; null when all are taken. */
  abstract claimSlot(kind: string, owner: string, max: number | null, holder: string, seconds?: number): Promise<string | null>;
  abstract slotsTaken(kind: string, owner: string): Promise<number>;
  /** The next integer from 1, unique and never reused; the same one for the same holder. It need not be kept. */
  abstract claimNext(kind: string, holder: string): Promise<number>;
  /** Makes the claim permanent until it is released. False when the holder has lost it. */
  abstract keep(kind: string, key: string, holder: string): Promise<boolean>;
  abstract release(kind: string, key: string, holder: string): Promise<void>;
  abstract releaseAll(kind: string, holder: string): Promise<void>;
  abstract holderOf(kind: string, key: string): Promise<string | null>;
  /** Claims that were not kept in time, for the sweeper. */
  abstract expired(limit: number): Promise<readonly Claim[]>;
  /** Frees an expired claim, unless its holder has claimed it anew or kept it. */
  abstract free(claim: Claim): Promise<void>;
}

export interface Claim {
  readonly kind: string;
  readonly key: string;
  readonly holder: string;
}

/** Longer than a command may take, including its retries. */
export const CLAIM_SECONDS = 120;

/**
 * Settles claims that were never kept. `fence` appends an event that bars the holder (expecting no stream) and answers whether it was appended
 * (`fenced`) or the holder was faster (`holder won`). A claim that cannot be settled does not block the others and is swept again.
 */
export async function sweepClaims(claims: Claims, fence: (claim: Claim) => Promise<'fenced' | 'holder won'>, limit = 100): Promise<number> {
  const expired = await claims.expired(limit);
  const failures: unknown[] = [];
  for (const claim of expired) {
    try {
      if ((await fence(claim)) === 'fenced') await claims.free(claim);
      else await claims.keep(claim.kind, claim.key, claim.holder);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `${String(failures.length)} claims could not be settled`);
  return expired.length;
}
