import type { Look, LookStore } from '../../observations/looks/look-store.ts';

interface Kept {
  readonly look: Promise<Look | undefined>;
  readonly askedAt: number;
}

/** Sites are looked at hourly: a look that was read within the last second is news enough. */
const KEPT_MS = 1_000;
const CAPACITY = 10_000;

/** The last look at a project's redirect, without asking the database again for every answer. */
export class RecentLooks {
  private readonly kept = new Map<string, Kept>();

  constructor(private readonly looks: Pick<LookStore, 'latest'>) {}

  of(projectId: string): Promise<Look | undefined> {
    const now = performance.now();
    const known = this.kept.get(projectId);
    if (known !== undefined && now - known.askedAt < KEPT_MS) return known.look;
    const look = this.looks.latest('redirect', [projectId]).then((found) => found.get(projectId));
    look.catch(() => this.kept.delete(projectId));
    if (this.kept.size >= CAPACITY) this.kept.clear();
    this.kept.set(projectId, { look, askedAt: now });
    return look;
  }
}
