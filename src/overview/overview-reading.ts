import { Injectable } from '@nestjs/common';
import { maintenanceWithin } from '../projects/maintenance/occurrences.ts';
import { projectStream } from '../kernel/stream-names.ts';
import { certificateView } from '../watches/certificate/certificate.view.ts';
import { checkView } from '../projects/checks/check.view.ts';
import { type MaintenanceRow, maintenanceView } from '../projects/maintenance/maintenance.view.ts';
import { projectQuery } from '../projects/project-list.reader.ts';
import { type ProjectRow, projectView } from '../projects/project.view.ts';
import { redirectView } from '../watches/redirect/redirect.view.ts';
import { type CountedStatus, countedAs, standingView } from '../projects/standing.view.ts';
import { uptimeView } from '../watches/uptime/uptime.view.ts';
import { verdictView } from '../checker/verdicts/verdict.view.ts';
import { alsoIn, type AlsoIn, readableOf, unlessParked, type Views, ViewsAt } from '../platform/read-models/views/views.ts';
import { currentAsOf, requestNow } from '../platform/http/as-of/as-of.ts';
import type { Principal } from '../platform/http/context/principal.ts';
import { ProjectList, readableBy } from '../projects/project-list.ts';
import { type FailingCheck, type FoundProblem, MAX_CERTIFICATE_DAYS, problemsOf } from './problems.ts';
import { DAY_MS } from '../kernel/time.ts';

/** Projects with a problem that are read, of each kind. */
const MAX_OF_KIND = 100;
/** Projects that are folded for an answer about the past. */
const MAX_FOLDED = 1_000;
/** Failing checks that are read of one project. */
const MAX_CHECKS = 50;

export interface ProblemOf extends FoundProblem {
  readonly project: ProjectRow;
}

export interface FoundOverview {
  readonly total: number;
  /** Projects without a problem. */
  readonly inMaintenance: number;
  /** Of the others, those in which nothing was judged or measured yet. */
  readonly unknown: number;
  /** False: there are more problems than were read, or more projects than are folded for the past. */
  readonly isComplete: boolean;
  readonly problems: readonly ProblemOf[];
}

/** What is wrong in all projects of a caller, at a cost that grows with the problems and not with the projects. */
@Injectable()
export class OverviewReading {
  constructor(
    private readonly views: ViewsAt,
    private readonly list: ProjectList,
  ) {}

  async ofAll(principal: Principal): Promise<FoundOverview> {
    return currentAsOf() === undefined ? this.present(principal) : this.past(principal);
  }

  /** All that is wrong with one project. */
  async ofProject(row: ProjectRow): Promise<readonly FoundProblem[]> {
    const views = this.views.now();
    const [[uptime, certificate, redirect], checks] = await Promise.all([
      views.across([uptimeView, certificateView, redirectView], row.id),
      this.failingChecks(views, row.id, MAX_CHECKS),
    ]);
    return problemsOf(row, { uptime, certificate, redirect, checks }, requestNow());
  }

  private async present(principal: Principal): Promise<FoundOverview> {
    const views = this.views.now();
    const now = requestNow();
    const mine = readableBy(principal);
    const all = projectQuery({ ...mine, search: null });
    const having = async (also: readonly AlsoIn[]): Promise<readonly ProjectRow[]> =>
      readableOf(await views.list(projectView, { ...all, also, limit: MAX_OF_KIND + 1 })).rows;
    const judged = async (status: 'error' | 'timeout'): Promise<readonly ProjectRow[]> =>
      readableOf(await views.list(projectView, { ...projectQuery({ ...mine, search: null, status }), limit: MAX_OF_KIND + 1 })).rows;
    const unjudged = projectQuery({ ...mine, search: null, status: null });
    const [total, unjudgedOnes, measured, planned, ...kinds] = await Promise.all([
      views.count(projectView, all),
      views.count(projectView, unjudged),
      views.count(projectView, { ...unjudged, also: [alsoIn(uptimeView, { measured: { eq: 'measured' } })] }),
      having([alsoIn(maintenanceView, { until: { atLeast: now } })]),
      judged('error'),
      judged('timeout'),
      having([alsoIn(uptimeView, { failing: { eq: 'failing' } })]),
      having([alsoIn(redirectView, { failing: { eq: 'failing' } })]),
      having([alsoIn(certificateView, { until: { atMost: now + (MAX_CERTIFICATE_DAYS + 1) * DAY_MS } })]),
    ]);
    const rows = new Map(kinds.flat().map((row) => [row.id, row]));
    const problems = await this.problemsIn(views, [...rows.values()]);
    const attention = new Set(problems.map(({ project }) => project.id));
    const inMaintenance = await this.maintainedAmong(views, planned, attention);
    const named = new Map([...problems.map(({ project }) => project), ...inMaintenance].map((row) => [row.id, row]));
    return {
      total,
      inMaintenance: inMaintenance.length,
      // Counted each in its own moment, so that a project may move from one to the other in between.
      unknown: Math.max(0, unjudgedOnes - measured - (await this.unknownAmong(views, [...named.values()])).length),
      isComplete: [planned, ...kinds].every(({ length }) => length <= MAX_OF_KIND),
      problems,
    };
  }

  private async past(principal: Principal): Promise<FoundOverview> {
    const request = { isPaged: true, limit: MAX_FOLDED, sort: 'id', isSorted: false, after: null, status: null, search: null };
    const { projects, end } = await this.list.page(principal, request);
    const rows = projects.map(({ row }) => row);
    const views = this.views.now();
    const problems = await this.problemsIn(views, rows);
    const attention = new Set(problems.map(({ project }) => project.id));
    const inMaintenance = await this.maintainedAmong(views, rows, attention);
    const unknown = await this.unknownAmong(
      views,
      rows.filter((row) => !attention.has(row.id) && !inMaintenance.includes(row)),
    );
    return { total: rows.length, inMaintenance: inMaintenance.length, unknown: unknown.length, isComplete: end === null, problems };
  }

  private async maintainedAmong(views: Views, rows: readonly ProjectRow[], attention: ReadonlySet<string>): Promise<readonly ProjectRow[]> {
    const others = rows.filter(({ id }) => !attention.has(id));
    const windows = await views.many(
      maintenanceView,
      others.map(({ id }) => id),
      'as before',
    );
    const now = requestNow();
    return others.filter(({ id }) => isWithin(windows.get(id), now));
  }

  private async unknownAmong(views: Views, rows: readonly ProjectRow[]): Promise<readonly ProjectRow[]> {
    const unjudged = rows.filter(({ status = null }) => status === null);
    const uptimes = await views.many(
      uptimeView,
      unjudged.map(({ id }) => id),
      'as before',
    );
    return unjudged.filter(({ id }) => (uptimes.get(id)?.state ?? 'unknown') === 'unknown');
  }

  private async problemsIn(views: Views, rows: readonly ProjectRow[]): Promise<readonly ProblemOf[]> {
    const now = requestNow();
    const found = await Promise.all(
      rows.map(async (project) => {
        const [facts, checks] = await Promise.all([
          unlessParked(views.across([uptimeView, certificateView, redirectView], project.id)),
          project.status === 'error' || project.status === 'timeout' ? this.failingChecks(views, project.id, 1) : [],
        ]);
        if (facts === 'parked') return [];
        const [uptime, certificate, redirect] = facts;
        return problemsOf(project, { uptime, certificate, redirect, checks }, now).map((problem) => ({ ...problem, project }));
      }),
    );
    return found.flat().toSorted(worstFirst);
  }

  /** The enabled checks that fail, those with errors before those that timed out. */
  private async failingChecks(views: Views, projectId: string, limit: number): Promise<readonly FailingCheck[]> {
    const found: FailingCheck[] = [];
    for (const status of ['error', 'timeout'] satisfies CountedStatus[]) {
      const also = [alsoIn(standingView, { counts: { eq: countedAs(projectId, status) } })];
      const items = await views.list(checkView, {
        scope: projectStream(projectId),
        order: { by: 'order' },
        also,
        parked: 'as before',
        limit: limit - found.length,
      });
      const verdicts = await views.many(
        verdictView,
        items.map(({ key }) => key),
        'as before',
      );
      for (const { key, row } of items) {
        const verdict = verdicts.get(key);
        if (verdict !== undefined) found.push({ name: row.settings.name === '' ? row.settings.url : row.settings.name, verdict });
      }
      if (found.length >= limit) break;
    }
    return found;
  }
}

const isWithin = (row: MaintenanceRow | undefined, now: number): boolean =>
  row !== undefined && maintenanceWithin(row.windows, { from: now, to: now + 1 }).length > 0;

const SEVERITIES = ['failing', 'warning'] as const;

/** Failing before warnings, and what began last first. */
function worstFirst(one: ProblemOf, other: ProblemOf): number {
  const bySeverity = SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity);
  return bySeverity === 0 ? (other.since ?? '').localeCompare(one.since ?? '') : bySeverity;
}
