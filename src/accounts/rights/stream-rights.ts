import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { TokenScope } from '../token-scopes.ts';
import { Plans, hasApiAccess } from '../plan.ts';
import { ConcurrencyLimit } from '../../kernel/concurrency-limit.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { Principals } from '../sign-in/principals.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { ProjectDirectory } from './project-directory.ts';
import { accessOf, mayUse } from './project-rights.ts';
import type { ProjectNeed } from './right.ts';
import { coversProject, hasScope } from './scopes.ts';

/** Twice within the five seconds in which an answer ends whose reader loses the right (docs/spec/beyond.md#B9, docs/spec/decisions.md#J4). */
const CHECK_MS = 2_000;
const MAX_CONCURRENT = 8;

export interface WatchedStream {
  readonly projectId: string;
  readonly principal: Principal;
  readonly needs: ProjectNeed;
  readonly scope: TokenScope;
  /** Called once the right has ended. */
  readonly end: () => void;
}

/** Re-checks the rights of the readers of open answers, because a stream outlives the check of its request. */
@Injectable()
export class StreamRights implements BeforeApplicationShutdown {
  private readonly watched = new Set<WatchedStream>();
  private readonly concurrency = new ConcurrencyLimit(MAX_CONCURRENT);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly principals: Principals,
    private readonly plans: Plans,
    private readonly views: ViewsAt,
    private readonly projects: ProjectDirectory,
  ) {}

  /** Until the returned function is called. */
  watch(stream: WatchedStream): () => void {
    this.watched.add(stream);
    this.timer ??= setTimeout(() => void this.checkAll(), CHECK_MS);
    return () => this.watched.delete(stream);
  }

  beforeApplicationShutdown(): void {
    clearTimeout(this.timer);
  }

  private async checkAll(): Promise<void> {
    const checks = [...this.watched].map((stream) =>
      this.concurrency.run(async () => {
        // Fails closed: a client whose rights cannot be read asks again, and misses nothing.
        if (!(await this.holds(stream).catch(() => false))) stream.end();
      }),
    );
    await Promise.all(checks);
    this.timer = this.watched.size === 0 ? undefined : setTimeout(() => void this.checkAll(), CHECK_MS);
  }

  private async holds({ projectId, principal: { tokenId, userId }, needs, scope }: WatchedStream): Promise<boolean> {
    const principal = await this.principals.load(tokenId, userId);
    if (principal === null || !hasApiAccess(principal, this.plans)) return false;
    if (!hasScope(principal, scope) || !coversProject(principal, projectId)) return false;
    const row = await this.projects.get(this.views.now(), projectId);
    return row !== null && mayUse(accessOf(projectId, row, principal), needs, principal);
  }
}
