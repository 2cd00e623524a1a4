import { type Clock, steadyClock } from '../../kernel/clock.ts';

/** As long as caches of other instances may be stale, this instance does not cache the account either. */
const UNSETTLED_MS = 1_000;

/** Read-your-writes for cached accounts: after a change in this process, the account is not answered from a cache until reads show the change. */
export class AccountChanges {
  private readonly changedAt = new Map<number, number>();

  constructor(private readonly clock: Clock = steadyClock) {}

  changed(userId: number): void {
    const now = this.clock.now();
    for (const [other, at] of this.changedAt) if (now - at > UNSETTLED_MS) this.changedAt.delete(other);
    this.changedAt.set(userId, now);
  }

  isSettled(userId: number): boolean {
    const at = this.changedAt.get(userId);
    return at === undefined || this.clock.now() - at > UNSETTLED_MS;
  }
}
