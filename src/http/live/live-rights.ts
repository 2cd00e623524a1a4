import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { PLANS, type Plans } from '../../domain/account/plan.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { projectView } from '../../projections/read-models/project/project.view.ts';
import { Principals } from '../auth/principals.ts';
import type { Principal } from '../context/principal.ts';
import { accessOf, mayUse } from '../rights/project-rights.ts';
import type { LiveClient } from './live-client.ts';

/** Twice within the five seconds in which a caller whose right ends is cut off (docs/spec/beyond.md#B9). */
const LOOK_MS = 2_000;
const AT_ONCE = 8;

interface Watched {
  readonly projectId: string;
  readonly principal: Principal;
}

/** A stream outlives the request that was let through: who listens is asked about again and again. */
@Injectable()
export class LiveRights implements BeforeApplicationShutdown {
  private readonly watched = new Map<LiveClient, Watched>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(Principals) private readonly principals: Principals,
    @Inject(PLANS) private readonly plans: Plans,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
  ) {}

  watch(client: LiveClient, watched: Watched): void {
    this.watched.set(client, watched);
    client.onEnd(() => this.watched.delete(client));
    this.timer ??= setTimeout(() => void this.look(), LOOK_MS);
  }

  beforeApplicationShutdown(): void {
    clearTimeout(this.timer);
  }

  private async look(): Promise<void> {
    const waiting = [...this.watched];
    const work = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const [client, watched] = next;
        // Where nobody can say whether it may, it may not: it comes again, and misses nothing.
        if (!(await this.mayRead(watched).catch(() => false))) client.end();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    this.timer = this.watched.size === 0 ? undefined : setTimeout(() => void this.look(), LOOK_MS);
  }

  private async mayRead({ projectId, principal: { tokenId, userId } }: Watched): Promise<boolean> {
    const principal = await this.principals.load(tokenId, userId);
    if (principal === null || this.plans.get(principal.plan)?.apiAccess !== true) return false;
    const row = await this.views.now().get(projectView, projectId);
    return row !== null && mayUse(accessOf(projectId, row, principal), 'read', principal);
  }
}
