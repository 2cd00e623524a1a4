import { HOUR } from '../packs/pack-kind.ts';

/** Of which checks a page was kept within the last hour, and of no others: those that are deleted leave nothing behind. */
export class KeptLately {
  /** The longest ago first. */
  private readonly keptAt = new Map<string, number>();

  /** A page is worth keeping when a verdict changed on it, and at most hourly besides. */
  isDue(checkId: string, at: number, verdictChanged: boolean): boolean {
    const last = this.keptAt.get(checkId);
    if (!verdictChanged && last !== undefined && at - last < HOUR) return false;
    this.keptAt.delete(checkId);
    this.keptAt.set(checkId, at);
    for (const [other, keptAt] of this.keptAt) {
      if (at - keptAt < HOUR) break;
      this.keptAt.delete(other);
    }
    return true;
  }

  get size(): number {
    return this.keptAt.size;
  }
}
