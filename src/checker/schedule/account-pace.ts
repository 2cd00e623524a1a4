import type { AccountKey } from '../../kernel/fair-queue.ts';

/** So many turns of an account come at once: the looks at twenty sites that were just added. */
const BURST = 60;
const SPACING_MS = 100;

/**
 * When a turn takes place that no recurrence has scheduled: at once, because a person waits for it, but of an account with many (an import, shards taken after
 * a pause) ten a second, so that they do not delay what is due. A virtual scheduling algorithm (GCRA).
 */
export class AccountPace {
  private readonly theoretical = new Map<AccountKey, number>();

  dueOf(account: AccountKey, now: number): number {
    const at = Math.max(this.theoretical.get(account) ?? now, now);
    // Accounts that are back at their full burst.
    if (this.theoretical.size > 10_000) for (const [key, until] of this.theoretical) if (until <= now) this.theoretical.delete(key);
    this.theoretical.set(account, at + SPACING_MS);
    return Math.max(now, at - BURST * SPACING_MS);
  }
}
