import { Injectable } from '@nestjs/common';
import { RunStore } from '../../platform/observations/runs/run-store.ts';
import { type CheckRow, checkView } from '../../projects/checks/check.view.ts';
import type { ProjectRow } from '../../projects/project.view.ts';
import { reportedView } from './reported.view.ts';
import { countedAs, type ProjectStatus, STATUSES_WORST_FIRST, standingView } from '../../projects/standing.view.ts';
import { verdictView } from '../verdicts/verdict.view.ts';
import { alsoIn, type Views, ViewsAt } from '../../platform/read-models/views/views.ts';
import { projectStream } from '../../kernel/stream-names.ts';
import { currentAsOf } from '../../platform/http/as-of/as-of.ts';
import { CheckFactsReader } from './check-facts.ts';
import type { CheckFacts } from '../../projects/checks/check.presenter.ts';
import { CheckReading } from '../../projects/checks/check-reading.ts';
import { ListPage, type ListRequest } from '../../platform/http/lists/list.ts';
import { unixSeconds } from '../../platform/http/presentation/answers.ts';
import type { SimpleStatusAnswer, StatusSummaryAnswer } from './status.api.ts';

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
    private readonly views: ViewsAt,
    private readonly checks: CheckReading,
    private readonly facts: CheckFactsReader,
    private readonly runs: RunStore,
  ) {}

  async summary(project: ProjectRow, now: number, request: ListRequest): Promise<ListPage> {
    const read = await this.views.snapshot(async (views) => {
      this.facts.prefetch(views, project.id, standingView, reportedView);
      const [{ rows, end }, counts, lastChange, reported] = await Promise.all([
        this.checks.page(views, project.id, request),
        counted(views, project.id),
        lastChangeOf(views, project.id),
        views.get(reportedView, project.id),
      ]);
      const worst = await worstOf(views, project.id, counts.status);
      const homepage = worst === null ? await homepageOf(views, project.id, counts.status) : null;
      const known = await this.facts.known(views, project.id, homepage === null ? rows : withRow(rows, homepage));
      return { rows, end, counts, lastChange, reported, worst, homepage, known };
    });
    const facts = await this.facts.withRuns(project, read.known);
    const { message, short } =
      read.worst ?? messagesOf(read.homepage === null ? undefined : facts.get(read.homepage.id), read.counts.status);
    const { status, total, failed } = read.counts;
    const answer: StatusSummaryAnswer = {
      project: {
        id: project.id,
        lastRun: await this.lastRun(project.id, facts),
        lastChange: read.lastChange,
        reported: read.reported?.status ?? '',
        status: status ?? 'unknown',
        msg: message,
        shortMessage: short,
        shortMsg: short,
      },
      total,
      failed,
      now: unixSeconds(now),
      tests: await this.checks.presentAll(read.rows, facts),
    };
    return new ListPage(answer, read.end);
  }

  async simple(project: ProjectRow, request: ListRequest): Promise<ListPage> {
    const { known, end, counts } = await this.views.snapshot(async (views) => {
      this.facts.prefetch(views, project.id, standingView);
      const [{ rows, end }, counts] = await Promise.all([
        this.checks.page(views, project.id, request, { enabled: true }),
        counted(views, project.id),
      ]);
      return { known: await this.facts.known(views, project.id, rows), end, counts };
    });
    const facts = await this.facts.withRuns(project, known);
    const tests = known.rows.map((row) => {
      const found = facts.get(row.id);
      return { name: row.settings.name, url: found?.requestUrl ?? row.settings.url, status: simpleStatus(found) };
    });
    const answer: SimpleStatusAnswer = { tests, total: counts.total, failed: counts.failed };
    return new ListPage(answer, end);
  }

  private async lastRun(projectId: string, facts: ReadonlyMap<string, CheckFacts>): Promise<number> {
    const asOf = currentAsOf();
    if (asOf === undefined) return this.lastRunNow(projectId, facts);
    const ids = (await this.views.now().list(checkView, { scope: projectStream(projectId) })).map(({ key }) => key);
    const runs = await this.runs.lastOf(projectId, ids, asOf.at);
    return unixSeconds(Math.max(0, ...[...runs.values()].map(({ at }) => at)));
  }

  /** A deleted check keeps its latest run for a while. Of a check that is shown, the run that is shown counts. */
  private async lastRunNow(projectId: string, facts: ReadonlyMap<string, CheckFacts>): Promise<number> {
    for (let limit = FEW; ; limit *= FEW) {
      const runs = await this.runs.latestOf(projectId, limit);
      const ids = runs.map(({ checkId }) => checkId);
      const known = await this.views.now().many(standingView, ids, 'as before');
      let last: number | null = null;
      for (const { checkId, at } of runs) {
        if (last !== null && unixSeconds(at) <= last) return last;
        if (known.has(checkId)) last = Math.max(last ?? 0, facts.get(checkId)?.lastRun ?? unixSeconds(at));
      }
      if (runs.length < limit) return last ?? 0;
    }
  }
}

interface Messages {
  readonly message: string;
  readonly short: string;
}

/** The message of the worst test (docs/spec/decisions.md#J9); null where none fails. */
async function worstOf(views: Views, projectId: string, status: ProjectStatus): Promise<Messages | null> {
  if (status === null || status === 'ok') return null;
  const also = [alsoIn(standingView, { counts: { eq: countedAs(projectId, status) } })];
  const query = { scope: projectStream(projectId), order: { by: 'order' }, also } as const;
  const check = (await views.firsts(checkView, 'enabled', [projectId], query)).get(projectId);
  const verdict = check === undefined ? null : await views.get(verdictView, check.id);
  const name = check?.settings.name ?? '';
  const sentence = verdict?.failing?.failures[0] ?? 'failed';
  const httpStatus = verdict?.evidence.httpStatus ?? null;
  return { message: name === '' ? sentence : `${name}: ${sentence}`, short: httpStatus === null ? status : String(httpStatus) };
}

/** The test of the homepage, else the first one; null before the first run, and where a test fails. */
async function homepageOf(views: Views, projectId: string, status: ProjectStatus): Promise<CheckRow | null> {
  if (status === null) return null;
  const query = { scope: projectStream(projectId), order: { by: 'order' } } as const;
  const homepage = (await views.firsts(checkView, 'homepage', [projectId], query)).get(projectId);
  return homepage ?? (await views.firsts(checkView, 'enabled', [projectId], query)).get(projectId) ?? null;
}

function messagesOf(homepage: CheckFacts | undefined, status: ProjectStatus): Messages {
  if (status === null) return { message: '', short: '' };
  const httpStatus = homepage?.response.httpStatus ?? '';
  return httpStatus === '' ? { message: 'OK', short: 'OK' } : { message: `Server returned HTTP status ${httpStatus}`, short: httpStatus };
}

const withRow = (rows: readonly CheckRow[], row: CheckRow): readonly CheckRow[] =>
  rows.some(({ id }) => id === row.id) ? rows : [...rows, row];

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

/** The last change of an enabled check; it is mostly among the latest changes of all checks. */
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
