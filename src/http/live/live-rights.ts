import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import { PLANS, type Plans } from '../../domain/account/plan.ts';
import { VIEWS_AT, type ViewsAt } from '../../projections/views/views.ts';
import { projectView } from '../../projections/read-models/project/project.view.ts';
import { Principals } from '../auth/principals.ts';
import type { Principal } from '../context/principal.ts';
import { accessOf, mayUse } from '../rights/project-rights.ts';
import { coversProject, hasScope } from '../rights/scopes.ts';
import type { LiveClient } from './live-client.ts';

/** Twice within the five seconds in which a caller who loses the right is disconnected (docs/spec/beyond.md#B9). */
const CHECK_MS = 2_000;
const MAX_CONCURRENT = 8;

interface Watched {
  readonly projectId: string;
  readonly principal: Principal;
}

/** Re-checks the rights of connected clients, because a stream outlives the check of its request. */
@Injectable()
export class LiveRights implements BeforeApplicationShutdown {
  private readonly watched = new Map<LiveClient, Watched>();
  private readonly concurrency = new ConcurrencyLimit(MAX_CONCURRENT);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(Principals) private readonly principals: Principals,
    @Inject(PLANS) private readonly plans: Plans,
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
  ) {}

  watch(client: LiveClient, watched: Watched): void {
    this.watched.set(client, watched);
    client.onClose(() => this.watched.delete(client));
    this.timer ??= setTimeout(() => void this.checkAll(), CHECK_MS);
  }

  beforeApplicationShutdown(): void {
    clearTimeout(this.timer);
  }

  private async checkAll(): Promise<void> {
    const checks = [...this.watched].map(([client, watched]) =>
      this.concurrency.run(async () => {
        // Fails closed: a client whose rights cannot be read reconnects, and misses nothing.
        if (!(await this.mayRead(watched).catch(() => false))) client.close();
      }),
    );
    await Promise.all(checks);
    this.timer = this.watched.size === 0 ? undefined : setTimeout(() => void this.checkAll(), CHECK_MS);
  }

  private async mayRead({ projectId, principal: { tokenId, userId } }: Watched): Promise<boolean> {
    const principal = await this.principals.load(tokenId, userId);
    if (principal === null || this.plans.get(principal.plan)?.apiAccess !== true) return false;
    if (!hasScope(principal, 'feed') || !coversProject(principal, projectId)) return false;
    const row = await this.views.now().get(projectView, projectId);
    return row !== null && mayUse(accessOf(projectId, row, principal), 'read', principal);
  }
}
