import { Inject, Injectable } from '@nestjs/common';
import { RUN_STORE, type RunStore } from '../../observations/runs/run-store.ts';
import { checkView } from '../../projections/read-models/check/check.view.ts';
import type { ProjectRow } from '../../projections/read-models/project/project.view.ts';
import { reportedView } from '../../projections/read-models/reported/reported.view.ts';
import { countedAs, type ProjectStatus, STATUSES_WORST_FIRST, standingView } from '../../projections/read-models/standing/standing.view.ts';
import { verdictView } from '../../projections/read-models/verdict/verdict.view.ts';
import { alsoIn, VIEWS_AT, type Views, type ViewsAt } from '../../projections/views/views.ts';
import { projectStream } from '../../domain/stream-names.ts';
import { currentAsOf } from '../as-of/as-of.ts';
import { CheckFactsReader } from '../check/check-facts.ts';
import type { CheckFacts } from '../check/check.presenter.ts';
import { CheckReading } from '../check/check-reading.ts';
import { ListPage, type ListRequest } from '../lists/list.ts';
import { unixSeconds } from '../presentation/answers.ts';
import type { SimpleStatusAnswer, StatusSummaryAnswer } from './status.description.ts';

/** Read first where the newest mostly is the one; then so many times as many. */
const FEW = 8;
const JUDGED = ['ok', 'error', 'timeout'] as const;

interface Counted {
  readonly status: ProjectStatus;
  readonly total: number;
  readonly failed: number;
}

/** docs/spec/interface.md#status-summary-full and #simple-status. The figures of the project are counted in the database, whichever tests are shown. */
@Injectable()
export class StatusReading {
  constructor(
    @Inject(VIEWS_AT) private readonly views: ViewsAt,
    @Inject(CheckReading) private readonly checks: CheckReading,
    @Inject(CheckFactsReader) private readonly facts: CheckFactsReader,
    @Inject(RUN_STORE) private readonly runs: RunStore,
  ) {}

  async summary(project: ProjectRow, now: number, request: ListRequest): Promise<ListPage> {
    const views = this.views.now();
    const [{ rows, end }, { status, total, failed }, lastRun, lastChange, reported] = await Promise.all([
      this.checks.page(project.id, request),
      counted(views, project.id),
      this.lastRun(views, project.id),
      lastChangeOf(views, project.id),
      views.get(reportedView, project.id),
    ]);
    const [facts, { message, short }] = await Promise.all([this.facts.read(views, project, rows), this.messages(views, project, status)]);
    const answer: StatusSummaryAnswer = {
      project: {
        id: project.id,
        lastRun,
        lastChange,
        reported: reported?.status ?? '',
        status: status ?? 'unknown',
        msg: message,
        shortMessage: short,
        shortMsg: short,
      },
      total,
      failed,
      now: unixSeconds(now),
      tests: await this.checks.presentAll(rows, facts),
    };
    return new ListPage(answer, end);
  }

  async simple(project: ProjectRow, request: ListRequest): Promise<ListPage> {
    const views = this.views.now();
    const [{ rows, end }, { total, failed }] = await Promise.all([
      this.checks.page(project.id, request, { enabled: true }),
      counted(views, project.id),
    ]);
    const facts = await this.facts.read(views, project, rows);
    const tests = rows.map((row) => {
      const found = facts.get(row.id);
      return { name: row.settings.name, url: found?.requestUrl ?? row.settings.url, status: simpleStatus(found) };
    });
    const answer: SimpleStatusAnswer = { tests, total, failed };
    return new ListPage(answer, end);
  }

  private async lastRun(views: Views, projectId: string): Promise<number> {
    const asOf = currentAsOf();
    if (asOf === undefined) return this.lastRunNow(views, projectId);
    const ids = (await views.list(checkView, { scope: projectStream(projectId) })).map(({ key }) => key);
    const runs = await this.runs.lastOf(projectId, ids, asOf.at);
    return unixSeconds(Math.max(0, ...[...runs.values()].map(({ at }) => at)));
  }

  /** A deleted check keeps its latest run for a while. */
  private async lastRunNow(views: Views, projectId: string): Promise<number> {
    for (let limit = FEW; ; limit *= FEW) {
      const runs = await this.runs.latestOf(projectId, limit);
      const ids = runs.map(({ checkId }) => checkId);
      const known = await views.many(standingView, ids, 'as before');
      const last = runs.find(({ checkId }) => known.has(checkId));
      if (last !== undefined || runs.length < limit) return unixSeconds(last?.at ?? 0);
    }
  }

  /** The message of the worst test, else of the homepage (docs/spec/decisions.md#J9). */
  private async messages(
    views: Views,
    project: ProjectRow,
    status: ProjectStatus,
  ): Promise<{ readonly message: string; readonly short: string }> {
    if (status === null) return { message: '', short: '' };
    const query = { scope: projectStream(project.id), order: { by: 'order' } } as const;
    if (status !== 'ok') {
      const also = [alsoIn(standingView, { counts: { eq: countedAs(project.id, status) } })];
      const check = (await views.firsts(checkView, 'enabled', [project.id], { ...query, also })).get(project.id);
      const verdict = check === undefined ? null : await views.get(verdictView, check.id);
      const name = check?.settings.name ?? '';
      const sentence = verdict?.failing?.failures[0] ?? 'failed';
      const httpStatus = verdict?.evidence.httpStatus ?? null;
      return { message: name === '' ? sentence : `${name}: ${sentence}`, short: httpStatus === null ? status : String(httpStatus) };
    }
    const homepages = await views.firsts(checkView, 'homepage', [project.id], query);
    const homepage = homepages.get(project.id) ?? (await views.firsts(checkView, 'enabled', [project.id], query)).get(project.id);
    const facts = homepage === undefined ? undefined : (await this.facts.read(views, project, [homepage])).get(homepage.id);
    const httpStatus = facts?.response.httpStatus ?? '';
    return httpStatus === '' ? { message: 'OK', short: 'OK' } : { message: `Server returned HTTP status ${httpStatus}`, short: httpStatus };
  }
}

/** The enabled tests by status, and the worst of them (docs/spec/decisions.md#P7); null before the first run. */
async function counted(views: Views, projectId: string): Promise<Counted> {
  const words = [...JUDGED, 'unknown'] as const;
  const found = await views.counts(
    standingView,
    'counts',
    words.map((status) => countedAs(projectId, status)),
    projectStream(projectId),
  );
  const countOf = (status: (typeof words)[number]): number => found.get(countedAs(projectId, status)) ?? 0;
  return {
    status: STATUSES_WORST_FIRST.find((status) => countOf(status) > 0) ?? null,
    total: words.reduce((sum, status) => sum + countOf(status), 0),
    failed: countOf('error') + countOf('timeout'),
  };
}

/** Of the enabled tests: the latest change of any is mostly one of them. */
async function lastChangeOf(views: Views, projectId: string): Promise<number> {
  const query = { scope: projectStream(projectId), order: { by: 'since', direction: 'desc' } } as const;
  for (let limit = FEW; ; limit *= FEW) {
    const verdicts = (await views.list(verdictView, { ...query, limit })).map(({ row }) => row);
    const standings = await views.many(
      standingView,
      verdicts.map(({ checkId }) => checkId),
    );
    const last = verdicts.find(({ checkId }) => standings.get(checkId)?.enabled === true);
    if (last !== undefined || verdicts.length < limit) return last === undefined ? 0 : unixSeconds(last.since);
  }
}

/** docs/spec/decisions.md#J10. */
function simpleStatus(facts: CheckFacts | undefined): string {
  if (facts === undefined || facts.status === 'unknown') return 'Not checked yet';
  return facts.status === 'ok' ? 'OK' : (facts.failures[0] ?? 'Failed');
}
