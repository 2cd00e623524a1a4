import { Injectable } from '@nestjs/common';
import { Plans, hasApiAccess } from '../../accounts/plan.ts';
import { projectIdOf, projectStream } from '../../kernel/stream-names.ts';
import { InvalidInput } from '../../kernel/errors.ts';
import { BatchedLookup } from '../../platform/postgres/batched-lookup.ts';
import { ProjectListReader } from '../../projects/project-list.reader.ts';
import { type ProjectRow, projectView } from '../../projects/project.view.ts';
import { ViewsAt } from '../../platform/read-models/views/views.ts';
import { Principals } from '../../accounts/sign-in/principals.ts';
import type { Principal } from '../../platform/http/context/principal.ts';
import { Forbidden } from '../../platform/http/errors/refusals.ts';
import { accessOf, mayUse } from '../../accounts/rights/project-rights.ts';
import { coversProject, hasScope } from '../../accounts/rights/scopes.ts';

/** A query searches the index of each project. */
const MAX_PROJECTS = 1_000;
/** Twice within the five seconds in which the request of a caller who loses the right ends (docs/spec/beyond.md#B24). */
export const RECHECK_MS = 2_000;
/** A timer may fire a moment early. */
const EARLY_MS = 100;

/** The time until the rights of waiting callers are checked again; all are checked at the same moments, so that their reads share queries. */
export function untilRecheck(now: number): number {
  const left = RECHECK_MS - (now % RECHECK_MS);
  return Math.ceil(left < EARLY_MS ? left + RECHECK_MS : left);
}

/** Which part of the log a caller may follow: system roles all of it, others their projects. */
@Injectable()
export class FeedScopes {
  private readonly rows = new BatchedLookup((ids) => this.views.now().many(projectView, ids, 'as before'));
  private readonly ofAccounts = new BatchedLookup(async (userIds) => {
    const limit = MAX_PROJECTS + 1;
    const pages = userIds.map((userId) => this.projects.page({ memberId: Number(userId), search: null, after: null, limit }));
    const found = await Promise.all(pages);
    return new Map(userIds.map((userId, index) => [userId, found[index]?.projects ?? []]));
  });

  constructor(
    private readonly principals: Principals,
    private readonly plans: Plans,
    private readonly views: ViewsAt,
    private readonly projects: ProjectListReader,
  ) {}

  /** Answers null for the whole log. */
  async of(principal: Principal, asked: readonly string[] | null): Promise<readonly string[] | null> {
    if (readsWholeLog(principal)) return asked;
    return asked === null ? this.ofProjects(principal) : this.requireReadable(principal, asked);
  }

  /** The scopes of the projects that the caller is in, whatever its system role. */
  async ofProjects(principal: Principal): Promise<readonly string[]> {
    const ofToken = principal.limits?.projects ?? null;
    const rows = ofToken === null ? await this.projectsOf(principal) : (await this.rowsOf([...ofToken])).values();
    return [...rows].filter((row) => mayRead(row, principal)).map(({ id }) => projectStream(id));
  }

  /** The scopes among those asked for that the caller may follow. */
  async readableOf(principal: Principal, asked: readonly string[]): Promise<readonly string[]> {
    if (readsWholeLog(principal)) return asked;
    const rows = await this.rowsOf(asked.map(projectIdOf));
    return asked.filter((scope) => {
      const row = rows.get(projectIdOf(scope));
      return row !== undefined && projectStream(row.id) === scope && mayRead(row, principal);
    });
  }

  /** The same while a stream is open, which outlives the check of its request; undefined when the caller may follow no longer. */
  async stillOf(asking: Principal, asked: readonly string[] | null): Promise<readonly string[] | null | undefined> {
    const principal = await this.current(asking);
    if (principal === null) return undefined;
    try {
      return await this.of(principal, asked);
    } catch (error) {
      if (error instanceof Forbidden) return undefined;
      throw error;
    }
  }

  /** The caller as of now; null when it may follow no longer. */
  async current({ tokenId, userId }: Principal): Promise<Principal | null> {
    const principal = await this.principals.load(tokenId, userId);
    return principal === null || !hasApiAccess(principal, this.plans) || !hasScope(principal, 'feed') ? null : principal;
  }

  private async projectsOf({ userId }: Principal): Promise<readonly ProjectRow[]> {
    const projects = (await this.ofAccounts.load(String(userId))) ?? [];
    if (projects.length > MAX_PROJECTS)
      throw new InvalidInput(`scope: is needed, because you have more than ${String(MAX_PROJECTS)} projects`);
    return projects;
  }

  /** Unknown ones are refused like those of others. */
  private async requireReadable(principal: Principal, asked: readonly string[]): Promise<readonly string[]> {
    const readable = await this.readableOf(principal, asked);
    if (readable.length < asked.length) throw new Forbidden();
    return asked;
  }

  private async rowsOf(ids: readonly string[]): Promise<ReadonlyMap<string, ProjectRow>> {
    // Postgres holds no text with this character: it would refuse the query, in which others wait, too.
    const rows = await Promise.all(ids.filter((id) => !id.includes('\u0000')).map((id) => this.rows.load(id)));
    return new Map(rows.flatMap((row) => (row === undefined ? [] : [[row.id, row]])));
  }
}

const readsWholeLog = (principal: Principal): boolean => principal.systemRole !== null && hasScope(principal, 'systemRead');

const mayRead = (row: ProjectRow, principal: Principal): boolean =>
  coversProject(principal, row.id) && mayUse(accessOf(row.id, row, principal), 'read', principal);
