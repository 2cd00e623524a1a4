import { type Clock, steadyClock } from '../../kernel/clock.ts';

/** As long as another instance may go on with what it knew, this one asks anew each time. */
const UNSETTLED_MS = 1_000;

/** What this process itself changed of an account is not answered from a cache until reads surely show it. */
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
