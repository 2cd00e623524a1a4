import type { AccountKey } from '../../kernel/fair-queue.ts';

/** This many turns of an account start at once: the inspections of twenty sites that were just added. */
const BURST = 60;
const SPACING_MS = 100;

/**
 * When a turn takes place that no recurrence has scheduled: at once, because a person waits for it, but of an account with many (an import, shards taken after
 * a pause) ten a second, so that they do not delay what is due. A virtual scheduling algorithm (GCRA).
 */
export class AccountPace {
  private readonly theoretical = new Map<AccountKey, number>();

  /** Null where that would not be before `end`: then it takes no turn of others. */
  dueBefore(end: number, account: AccountKey, now: number): number | null {
    return this.due(account, now) < end ? this.dueOf(account, now) : null;
  }

  dueOf(account: AccountKey, now: number): number {
    const due = this.due(account, now);
    // Accounts that are back at their full burst.
    if (this.theoretical.size > 10_000) for (const [key, until] of this.theoretical) if (until <= now) this.theoretical.delete(key);
    this.theoretical.set(account, this.theoreticalOf(account, now) + SPACING_MS);
    return due;
  }

  private due(account: AccountKey, now: number): number {
    return Math.max(now, this.theoreticalOf(account, now) - BURST * SPACING_MS);
  }

  private theoreticalOf(account: AccountKey, now: number): number {
    return Math.max(this.theoretical.get(account) ?? now, now);
  }
}
